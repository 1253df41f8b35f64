package io.numaledger.bridge.replica;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.bridge.client.Pages;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.state.ClusterState;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Pods that are bound and that no kubelet has started yet: what a new leader must know before it binds others. */
public final class InFlightPods implements Leadership.CatchUp {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(200);

    private final KubernetesClient client;
    private final ClusterState cluster;

    public InFlightPods(KubernetesClient client, ClusterState cluster) {
        this.client = client;
        this.cluster = cluster;
    }

    /**
     * Waits until the watch shows what the API server has now.
     *
     * @throws IOException if the API server gives no answer, or the watch is too far behind
     */
    @Override
    public void await() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < TIMEOUT.toNanos()) {
            // Again each time: a pod may be deleted meanwhile.
            if (bound().stream().noneMatch(cluster.pods()::isUnbound)) {
                return;
            }
            Thread.sleep(POLL.toMillis());
        }
        throw new IOException("the watch does not show pods that are bound; it is behind");
    }

    private List<PodFacts> bound() throws IOException {
        ObjectReader reader = new ObjectReader();
        try {
            return Pages.all(client.resources(PodObject.class)
                            .inAnyNamespace()
                            .withField("status.phase", "Pending")
                            .withoutField("spec.nodeName", ""))
                    .stream()
                    .map(reader::pod)
                    .toList();
        } catch (KubernetesClientException e) {
            throw new IOException("cannot list pods: " + Failures.reason(e), e);
        }
    }
}
