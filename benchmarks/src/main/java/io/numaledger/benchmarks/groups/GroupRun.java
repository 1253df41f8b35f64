package io.numaledger.benchmarks.groups;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.annotation.Annotations;
import io.numaledger.benchmarks.cluster.ObjectHandler;
import io.numaledger.benchmarks.groups.GroupMix.Arrival;
import io.numaledger.evaluation.facts.PodGroupMembership;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.workload.SimplePod;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

/**
 * Creates the groups of a mix on a cluster, and does what controllers of them do: a pod that was refused, or that is gone, is created again
 * after a second; a group ends some time after all of its pods ran, or if pods of it ran without others for too long.
 */
final class GroupRun implements AutoCloseable {

    /** As long as the bridge gives a group. */
    private static final Duration INCOMPLETE_TIMEOUT = Duration.ofMinutes(2);

    private static final Duration TIMEOUT = Duration.ofMinutes(4);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int THREADS = 4;

    private final SimCluster cluster;
    private final GroupMix mix;
    private final boolean gated;
    private final Map<String, GroupRecord> groups = new TreeMap<>();
    private final Map<String, Long> refused = new TreeMap<>();
    /** Name of a running pod → its GPUs. */
    private final Map<String, Integer> gpus = new HashMap<>();

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
    private final SharedIndexInformer<Pod> watch;
    private final long begin = System.nanoTime();
    private final GpuTime used = new GpuTime(begin);
    private final GpuTime usedByIncomplete = new GpuTime(begin);
    private final OwnerReference controller;
    private int created;
    private LinkedPods links = LinkedPods.NONE;

    /** @param gated whether the pods have the scheduling gate of groups */
    GroupRun(SimCluster cluster, GroupMix mix, boolean gated) {
        this.cluster = cluster;
        this.mix = mix;
        this.gated = gated;
        mix.arrivals().forEach(arrival -> groups.put(arrival.name(), new GroupRecord(arrival)));
        this.controller = controller(cluster);
        this.watch = cluster.client().pods().inNamespace("default").inform(new ObjectHandler<>(this::seen, this::gone));
    }

    /** The bridge evicts no pod without a controller that makes another one. */
    private static OwnerReference controller(SimCluster cluster) {
        HasMetadata object = cluster.client().resource("""
                        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "controller", "namespace": "default"}}""").create();
        return new OwnerReferenceBuilder()
                .withApiVersion("v1")
                .withKind("ConfigMap")
                .withName("controller")
                .withUid(object.getMetadata().getUid())
                .withController(true)
                .build();
    }

    private void seen(Optional<Pod> before, Pod pod) {
        if (isFailed(pod) && before.filter(GroupRun::isFailed).isPresent()) {
            return;
        }
        seen(pod);
        if (before.isEmpty() && isOfEndedGroup(pod)) { // created while its group was deleted
            after(Duration.ZERO, () -> delete(pod));
        }
    }

    private static boolean isFailed(Pod pod) {
        return pod.getStatus().getPhase().equals("Failed");
    }

    /** Returns when all groups have ended, and all of their pods are gone. */
    GroupReport run() {
        Duration last = mix.arrivals().get(mix.arrivals().size() - 1).at();
        mix.arrivals().forEach(arrival -> after(arrival.at(), () -> create(arrival)));
        await("the last group comes")
                .atMost(last.plus(TIMEOUT))
                .pollInterval(RETRY)
                .until(() -> endIncomplete() && allCreated());
        long mean = tenths(used);
        long ofIncomplete = tenths(usedByIncomplete);
        await("all groups end")
                .atMost(last.multipliedBy(4).plus(TIMEOUT))
                .pollInterval(RETRY)
                .until(() -> endIncomplete() && allEnded());
        return report(mean, ofIncomplete, Duration.ofNanos(System.nanoTime() - begin));
    }

    private synchronized GroupReport report(long gpuTenths, long incompleteGpuTenths, Duration took) {
        return new GroupReport(
                mix, List.copyOf(groups.values()), new TreeMap<>(refused), links, gpuTenths, incompleteGpuTenths, took);
    }

    private synchronized boolean allCreated() {
        return created == mix.arrivals().size();
    }

    private synchronized long tenths(GpuTime time) {
        return time.meanTenths(System.nanoTime());
    }

    private synchronized boolean allEnded() {
        return groups.values().stream().allMatch(GroupRecord::isEnded)
                && watch.getStore().list().isEmpty();
    }

    private void after(Duration time, Runnable action) {
        var unused = threads.schedule(action, time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void create(Arrival arrival) {
        synchronized (this) {
            group(arrival.name()).created(System.nanoTime());
            created++;
        }
        for (int i = 0; i < arrival.gpus().size(); i++) {
            createPod(arrival, i, 0);
        }
    }

    private synchronized boolean isOfEndedGroup(Pod pod) {
        return group(groupName(pod)).isEnded();
    }

    private void createPod(Arrival arrival, int number, int attempt) {
        synchronized (this) {
            if (group(arrival.name()).isEnded()) {
                return;
            }
        }
        int count = arrival.gpus().get(number);
        SimplePod pod = SimplePod.named("%s-%d-%d".formatted(arrival.name(), number, attempt))
                .neverRestarted()
                .with("main", "cpu=" + count, "memory=" + count + "Gi", "nvidia.com/gpu=" + count);
        int size = arrival.gpus().size();
        pod = gated ? pod.ofGatedGroup(arrival.name(), size) : pod.ofLabelledGroup(arrival.name(), size);
        if (arrival.inOneRack()) {
            pod = pod.annotated("numaledger.io/topology-levels", GroupMix.RACK)
                    .annotated("numaledger.io/topology-required", GroupMix.RACK);
        }
        if (arrival.linked()) {
            pod = pod.annotated(Annotations.GPU_LINKS, "required");
        }
        cluster.client()
                .resource(new PodBuilder(pod.build())
                        .editMetadata()
                        .withOwnerReferences(controller)
                        .endMetadata()
                        .build())
                .create();
    }

    private static String groupName(Pod pod) {
        return requireNonNull(pod.getMetadata().getLabels().get(PodGroupMembership.LABEL));
    }

    private GroupRecord group(String name) {
        return requireNonNull(groups.get(name));
    }

    private synchronized void seen(Pod pod) {
        GroupRecord group = group(groupName(pod));
        String name = pod.getMetadata().getName();
        long now = System.nanoTime();
        switch (pod.getStatus().getPhase()) {
            case "Running" -> {
                if (gpus.put(name, gpus(pod)) == null) {
                    starts(group, pod, now);
                }
                count(now);
            }
            case "Failed" -> {
                if (!group.isEnded() && !gpus.containsKey(name)) {
                    refused.merge(Objects.requireNonNullElse(pod.getStatus().getReason(), "unknown"), 1L, Long::sum);
                    after(RETRY, () -> delete(pod));
                }
            }
            default -> {}
        }
    }

    private void starts(GroupRecord group, Pod pod, long now) {
        if (group.arrival.linked()) {
            links = links.with(GroupMix.gpus(pod.getSpec().getNodeName()), devices(pod), gpus(pod));
        }
        if (group.podRuns(pod.getMetadata().getName(), pod.getSpec().getNodeName(), now)) {
            after(group.arrival.runs(), () -> end(group));
        }
    }

    private List<String> devices(Pod pod) {
        SimNode node = cluster.node(pod.getSpec().getNodeName());
        return KubeletState.read(node.kubeletRoot()).ofPod(pod.getMetadata().getUid()).values().stream()
                .flatMap(container -> container.devices().stream())
                .map(DeviceAllocation::deviceId)
                .toList();
    }

    private int gpus(Pod pod) {
        int number = Integer.parseInt(pod.getMetadata().getName().split("-", -1)[2]);
        return group(groupName(pod)).arrival.gpus().get(number);
    }

    private void count(long now) {
        used.set(sum(false), now);
        usedByIncomplete.set(sum(true), now);
    }

    private long sum(boolean incompleteOnly) {
        return gpus.entrySet().stream()
                .filter(each -> !incompleteOnly
                        || group(each.getKey().substring(0, "group-000".length()))
                                .incompleteSince()
                                .isPresent())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private synchronized void gone(Pod pod) {
        GroupRecord group = group(groupName(pod));
        String name = pod.getMetadata().getName();
        long now = System.nanoTime();
        gpus.remove(name);
        group.podEnds(name, now);
        count(now);
        if (!group.isEnded()) {
            String[] parts = name.split("-", -1);
            after(RETRY, () -> createPod(group.arrival, Integer.parseInt(parts[2]), Integer.parseInt(parts[3]) + 1));
        }
    }

    private void delete(Pod pod) {
        cluster.client().resource(pod).withGracePeriod(0).delete();
    }

    private void end(GroupRecord group) {
        synchronized (this) {
            long now = System.nanoTime();
            group.ends(now);
            count(now);
        }
        cluster.client()
                .pods()
                .inNamespace("default")
                .withLabel(PodGroupMembership.LABEL, group.arrival.name())
                .withGracePeriod(1)
                .delete();
    }

    /** Returns true. */
    private boolean endIncomplete() {
        long now = System.nanoTime();
        List<GroupRecord> late;
        synchronized (this) {
            late = groups.values().stream()
                    .filter(group -> !group.isEnded()
                            && group.incompleteSince()
                                    .filter(since -> now - since > INCOMPLETE_TIMEOUT.toNanos())
                                    .isPresent())
                    .toList();
        }
        late.forEach(this::end);
        return true;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        watch.close();
    }
}
