package io.numaledger.e2e.support;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.simulator.cluster.SimCluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * What each refusing kubelet held, and what was known of it, at the moment when it refused a pod.
 *
 * <p>A kubelet knows of the end of its containers before the API server does, and decides on the next pod accordingly: what nobody can have
 * known. With an init container, more free room can make a pod inadmissible.
 */
public final class RefusalTrace implements ResourceEventHandler<Pod>, AutoCloseable {

    private final SimCluster cluster;
    private final SharedIndexInformer<Pod> informer;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Queue<String> traces = new ConcurrentLinkedQueue<>();

    /** UID → when the API server first told of it. */
    private final Map<String, Instant> bound = new ConcurrentHashMap<>();

    private final Map<String, End> ends = new ConcurrentHashMap<>();
    private final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();

    /**
     * @param ended when the last container ended, or the pod was deleted
     * @param told when the API server first told of it
     */
    private record End(String node, Instant ended, Instant told) {}

    private record Refusal(String pod, String node, Instant bound, Instant refused) {}

    public RefusalTrace(SimCluster cluster) {
        this.cluster = cluster;
        this.informer = cluster.client().pods().inNamespace("default").inform(this);
    }

    @Override
    public void onAdd(Pod pod) {
        note(pod);
    }

    private void note(Pod pod) {
        String node = pod.getSpec().getNodeName();
        String uid = pod.getMetadata().getUid();
        if (node != null) {
            bound.computeIfAbsent(uid, any -> Instant.now());
            ended(pod).ifPresent(at -> ends.computeIfAbsent(uid, any -> new End(node, at, Instant.now())));
        }
    }

    private static Optional<Instant> ended(Pod pod) {
        List<ContainerStatus> containers = pod.getStatus().getContainerStatuses();
        boolean allEnded = !containers.isEmpty()
                && containers.stream().allMatch(status -> status.getState().getTerminated() != null);
        return allEnded
                ? containers.stream()
                        .map(status ->
                                Instant.parse(status.getState().getTerminated().getFinishedAt()))
                        .max(Instant::compareTo)
                : Optional.ofNullable(pod.getMetadata().getDeletionTimestamp()).map(deleted -> Instant.now());
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
        note(pod);
        boolean refused = "Failed".equals(pod.getStatus().getPhase())
                && pod.getStatus().getReason() != null
                && seen.add(pod.getMetadata().getUid());
        if (refused) {
            traces.add(trace(pod));
            refusals.add(new Refusal(
                    pod.getMetadata().getName(),
                    pod.getSpec().getNodeName(),
                    bound.get(pod.getMetadata().getUid()),
                    Instant.now()));
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

    /** The refused pods beside which no other ended that the API server told of only after they were bound. */
    public List<String> foreseeable() {
        return refusals.stream()
                .filter(refusal -> ends.values().stream()
                        .noneMatch(end -> end.node().equals(refusal.node())
                                && end.told().isAfter(refusal.bound())
                                && end.ended().isBefore(refusal.refused())))
                .map(Refusal::pod)
                .toList();
    }

    @Override
    public void close() {
        informer.close();
    }
}
