package io.numaledger.scheduling.state;

import java.time.Duration;

/**
 * Builds the snapshots of changed nodes, so that calls of the scheduler find them built. One thread runs it again and again, with a pause: what
 * changes a node several times within it costs one build.
 */
public final class SnapshotRefresh implements Runnable {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final ClusterState cluster;
    private long refreshed;

    public SnapshotRefresh(ClusterState cluster) {
        this.cluster = cluster;
        this.refreshed = cluster.versions().last();
    }

    /** Waits for a change, and builds what has changed since the last run. */
    @Override
    public void run() {
        try {
            if (cluster.changes().await(() -> cluster.versions().last() > refreshed, TIMEOUT)) {
                build();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void build() {
        long last = cluster.versions().last();
        NodeIndex index = cluster.index();
        for (int at = 0; at < index.size(); at++) {
            if (cluster.versions().get(index.slot(at)) > refreshed) {
                index.node(at).snapshots();
            }
        }
        refreshed = last;
    }
}
