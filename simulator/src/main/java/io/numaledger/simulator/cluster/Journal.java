package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.placement.PodAllocation;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.PodResourcesException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;

/**
 * A record of each pod instance since the cluster's start, deleted ones included. Verdicts come from a watch. What a pod holds
 * is read from the kubelet's state files when its status changes, and again when the entries are read.
 */
public final class Journal implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Journal.class);

    private static final Duration DEADLINE = Duration.ofSeconds(5);

    private final Supplier<SortedMap<String, NodeDirectory>> nodes;
    private final Map<String, JournalEntry> byUid = new HashMap<>();
    private final SharedIndexInformer<Pod> watch;

    private Journal(KubernetesClient client, Supplier<SortedMap<String, NodeDirectory>> nodes) {
        this.nodes = nodes;
        this.watch = client.pods().inAnyNamespace().inform(new Recorder());
    }

    static Journal follow(KubernetesClient client, Supplier<SortedMap<String, NodeDirectory>> nodes) {
        Journal journal = new Journal(client, nodes);
        // The watch reports existing pods, too, but later.
        journal.watch.getStore().list().forEach(journal::record);
        return journal;
    }

    private final class Recorder implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            record(pod);
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            record(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {
            forget(pod);
        }
    }

    private synchronized void record(Pod pod) {
        JournalEntry entry = JournalEntry.of(pod);
        JournalEntry before = byUid.get(entry.uid());
        byUid.put(entry.uid(), withHeld(before == null ? entry : entry.withHeld(before.held())));
    }

    private synchronized void forget(Pod pod) {
        byUid.computeIfPresent(pod.getMetadata().getUid(), (uid, entry) -> entry.asDeleted());
    }

    /** With what the state files say now. If they no longer mention the pod, what was read before stays. */
    private JournalEntry withHeld(JournalEntry entry) {
        return nodeOf(entry)
                .map(node -> KubeletState.read(node.kubeletRoot()).ofPod(entry.uid()))
                .filter(held -> !held.isEmpty())
                .map(entry::withHeld)
                .orElse(entry);
    }

    private Optional<NodeDirectory> nodeOf(JournalEntry entry) {
        return entry.node().map(name -> nodes.get().get(name));
    }

    /** All entries, sorted by pod and UID, with what the kubelets report now. */
    public synchronized List<JournalEntry> entries() {
        Map<String, PodAllocation> reported = reported();
        byUid.replaceAll((uid, entry) ->
                entry.deleted() ? entry : withHeld(entry).withReported(Optional.ofNullable(reported.get(entry.key()))));
        return byUid.values().stream()
                .sorted(Comparator.comparing(JournalEntry::key).thenComparing(JournalEntry::uid))
                .toList();
    }

    private Map<String, PodAllocation> reported() {
        Map<String, PodAllocation> byPod = new HashMap<>();
        nodes.get().forEach((name, directory) -> {
            try (PodResourcesClient client =
                    new PodResourcesClient(directory.podResourcesSocket(), DEADLINE, warning -> {})) {
                client.list().pods().forEach(pod -> byPod.put(pod.key(), pod));
            } catch (PodResourcesException kubeletIsAway) {
                log.info("event=journal.kubelet_away node={} reason={}", name, kubeletIsAway.getMessage());
            }
        });
        return byPod;
    }

    /** The number of pods that a kubelet refused or failed with this reason, such as {@code TopologyAffinityError}. */
    public synchronized long count(String reason) {
        return byUid.values().stream()
                .filter(entry -> entry.verdict().reason().equals(reason))
                .count();
    }

    /** The entries as a table for people. */
    public String table() {
        return JournalTable.of(entries());
    }

    @Override
    public void close() {
        watch.close();
    }
}
