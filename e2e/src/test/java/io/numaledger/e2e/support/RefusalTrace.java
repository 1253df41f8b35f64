package io.numaledger.e2e.support;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.simulator.cluster.SimCluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** What each refusing kubelet held, and what was known of it, at the moment when it refused a pod. */
public final class RefusalTrace implements ResourceEventHandler<Pod>, AutoCloseable {

    private final SimCluster cluster;
    private final SharedIndexInformer<Pod> informer;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Queue<String> traces = new ConcurrentLinkedQueue<>();

    public RefusalTrace(SimCluster cluster) {
        this.cluster = cluster;
        this.informer = cluster.client().pods().inNamespace("default").inform(this);
    }

    @Override
    public void onAdd(Pod pod) {}

    @Override
    public void onUpdate(Pod before, Pod pod) {
        boolean refused = "Failed".equals(pod.getStatus().getPhase())
                && pod.getStatus().getReason() != null
                && seen.add(pod.getMetadata().getUid());
        if (refused) {
            traces.add(trace(pod));
        }
    }

    @Override
    public void onDelete(Pod pod, boolean finalStateUnknown) {}

    private String trace(Pod refused) {
        String node = refused.getSpec().getNodeName();
        StringBuilder text =
                new StringBuilder("refused for " + refused.getStatus().getReason() + ":\n" + line(refused));
        informer.getStore().list().stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName()) && !pod.equals(refused))
                .forEach(pod -> text.append(line(pod)));
        Path root = cluster.node(node).kubeletRoot();
        for (String state : List.of("cpu_manager_state", "memory_manager_state")) {
            try {
                text.append(Files.readString(root.resolve(state))).append('\n');
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return text.toString();
    }

    private static String line(Pod pod) {
        List<String> requests = Stream.concat(
                        pod.getSpec().getInitContainers().stream(), pod.getSpec().getContainers().stream())
                .map(RefusalTrace::requests)
                .toList();
        return "  pod=%s phase=%s deleted=%s created=%s uid=%s requests=%s annotations=%s%n"
                .formatted(
                        pod.getMetadata().getName(),
                        pod.getStatus().getPhase(),
                        pod.getMetadata().getDeletionTimestamp(),
                        pod.getMetadata().getCreationTimestamp(),
                        pod.getMetadata().getUid(),
                        requests,
                        pod.getMetadata().getAnnotations());
    }

    private static String requests(Container container) {
        return container.getName() + container.getResources().getLimits();
    }

    /** One text for each refused pod. */
    public List<String> traces() {
        return List.copyOf(traces);
    }

    @Override
    public void close() {
        informer.close();
    }
}
