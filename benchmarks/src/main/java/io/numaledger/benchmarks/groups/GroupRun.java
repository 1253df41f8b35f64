package io.numaledger.benchmarks.groups;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.benchmarks.groups.GroupLoad.Group;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.SimplePod;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Runs a load on a cluster, and watches what becomes of each group. Used once. */
final class GroupRun {

    private static final String GROUP = "numaledger.io/pod-group";
    private static final Duration POLL = Duration.ofMillis(250);

    /** A group that is half running for so long is given up, as a training framework does. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration LONGEST = Duration.ofMinutes(15);

    private final SimCluster cluster;
    private final GroupLoad load;
    private final boolean planned;
    private final List<Progress> groups = new ArrayList<>();
    private final Set<String> refused = new HashSet<>();
    private long gpuNanos;

    private static final class Progress {

        private final Group group;
        private boolean created;
        private boolean done;
        private boolean broken;
        private boolean wrongRack;
        private Optional<Long> createdAt = Optional.empty();
        private Optional<Long> wholeAt = Optional.empty();
        private Optional<Long> halfSince = Optional.empty();
        private long longestHalfNanos;

        Progress(Group group) {
            this.group = group;
        }
    }

    /** @param planned whether the pods have the gate of groups */
    GroupRun(SimCluster cluster, GroupLoad load, boolean planned) {
        this.cluster = cluster;
        this.load = load;
        this.planned = planned;
        load.groups().forEach(group -> groups.add(new Progress(group)));
    }

    /** Returns when all groups have run or were given up. */
    GroupReport run() throws InterruptedException {
        long begin = System.nanoTime();
        long last = begin;
        while (groups.stream().anyMatch(each -> !each.done) && System.nanoTime() - begin < LONGEST.toNanos()) {
            long now = System.nanoTime();
            for (Progress each : groups) {
                if (!each.created && now - begin >= each.group.at().toNanos()) {
                    create(each, now);
                }
            }
            Map<String, List<Pod>> pods = cluster.client().pods().inNamespace("default").list().getItems().stream()
                    .collect(Collectors.groupingBy(
                            pod -> pod.getMetadata().getLabels().getOrDefault(GROUP, "")));
            for (Progress each : groups) {
                if (each.created && !each.done) {
                    see(each, pods.getOrDefault(each.group.name(), List.of()), now, now - last);
                }
            }
            last = now;
            Thread.sleep(POLL.toMillis());
        }
        return report(System.nanoTime() - begin);
    }

    private void create(Progress progress, long now) {
        Group group = progress.group;
        for (int i = 0; i < group.size(); i++) {
            SimplePod pod = SimplePod.named("%s-%d".formatted(group.name(), i));
            pod = planned
                    ? pod.ofGatedGroup(group.name(), group.size())
                    : pod.ofLabelledGroup(group.name(), group.size());
            if (planned && group.inOneRack()) {
                pod = pod.annotated("numaledger.io/topology-levels", "rack")
                        .annotated("numaledger.io/topology-required", "rack");
            }
            cluster.client()
                    .resource(pod.with("c", "cpu=" + group.cpus(), "memory=1Gi", "nvidia.com/gpu=" + group.gpus())
                            .build())
                    .create();
        }
        progress.created = true;
        progress.createdAt = Optional.of(now);
    }

    private void see(Progress progress, List<Pod> pods, long now, long passed) {
        List<Pod> failed = pods.stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Failed"))
                .toList();
        failed.forEach(pod -> refused.add(pod.getMetadata().getUid()));
        List<Pod> running = pods.stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                .toList();
        gpuNanos += passed * running.size() * progress.group.gpus();
        boolean whole = running.size() == progress.group.size();
        boolean half = !(running.isEmpty() && failed.isEmpty()) && !whole && progress.wholeAt.isEmpty();
        progress.halfSince = half ? progress.halfSince.or(() -> Optional.of(now)) : Optional.empty();
        progress.halfSince.ifPresent(
                since -> progress.longestHalfNanos = Math.max(progress.longestHalfNanos, now - since));
        if (whole && progress.wholeAt.isEmpty()) {
            progress.wholeAt = Optional.of(now);
            progress.wrongRack = planned && progress.group.inOneRack() && racks(running) > 1;
        }
        boolean over = progress.wholeAt
                .filter(at -> now - at >= progress.group.runs().toNanos())
                .isPresent();
        boolean givenUp = progress.halfSince
                .filter(since -> now - since >= PATIENCE.toNanos())
                .isPresent();
        if (over || givenUp) {
            progress.done = true;
            progress.broken = givenUp;
            pods.forEach(
                    pod -> cluster.client().resource(pod).withGracePeriod(0).delete());
        }
    }

    private static long racks(List<Pod> pods) {
        return pods.stream()
                .map(pod -> pod.getSpec().getNodeName().substring(0, 1))
                .distinct()
                .count();
    }

    private GroupReport report(long took) {
        List<Duration> waits = groups.stream()
                .filter(each -> each.wholeAt.isPresent())
                .map(each -> Duration.ofNanos(each.wholeAt.orElseThrow() - each.createdAt.orElseThrow()))
                .sorted()
                .toList();
        return new GroupReport(
                load.groups().size(),
                waits,
                (int) groups.stream().filter(each -> each.broken).count(),
                Duration.ofNanos(groups.stream()
                        .mapToLong(each -> each.longestHalfNanos)
                        .max()
                        .orElse(0)),
                refused.size(),
                (int) groups.stream().filter(each -> each.wrongRack).count(),
                (int) (gpuNanos / Math.max(1, took)),
                Duration.ofNanos(took));
    }
}
