package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.benchmarks.cluster.ObjectHandler;
import io.numaledger.simulator.cluster.SimCluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import static org.awaitility.Awaitility.await;

/** Runs a {@link PriorityChurn}: the next burst comes one second after every pod runs, has failed or is marked unschedulable. */
final class PriorityChurnRun implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final SimCluster cluster;
    private final PriorityChurn churn;
    private final Map<String, Fate> fates = new ConcurrentSkipListMap<>();
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();
    private final AtomicInteger failedAttempts = new AtomicInteger();
    private final SharedIndexInformer<Pod> watch;

    /** What became of one pod. */
    private static final class Fate {
        private final boolean high;
        private volatile boolean settled;
        private volatile boolean ran;
        /** The kubelet's reason. */
        private volatile Optional<String> refused = Optional.empty();

        private volatile boolean gone;

        Fate(boolean high) {
            this.high = high;
        }
    }

    PriorityChurnRun(SimCluster cluster, PriorityChurn churn) {
        this.cluster = cluster;
        this.churn = churn;
        churn.bursts().stream()
                .flatMap(burst -> burst.created().stream())
                .forEach(pod -> fates.put(pod.getMetadata().getName(), new Fate(PriorityChurn.isHigh(pod))));
        ChurnRun.createPriorityClass(cluster, PriorityChurn.HIGH, "PreemptLowerPriority");
        this.watch = cluster.client().pods().inNamespace("default").inform(new ObjectHandler<>(this::seen, this::gone));
    }

    private void gone(Pod pod) {
        fate(pod).ifPresent(fate -> {
            fate.gone = true;
            fate.settled = true;
        });
    }

    private Optional<Fate> fate(Pod pod) {
        return Optional.ofNullable(fates.get(pod.getMetadata().getName()));
    }

    private void seen(Optional<Pod> before, Pod pod) {
        Optional<String> why = unschedulable(pod);
        if (why.isPresent() && !why.equals(before.flatMap(PriorityChurnRun::unschedulable))) {
            failedAttempts.incrementAndGet();
        }
        fate(pod).ifPresent(fate -> {
            String phase = pod.getStatus().getPhase();
            fate.ran |= phase.equals("Running");
            if (phase.equals("Failed") && !fate.ran) {
                fate.refused = Optional.ofNullable(pod.getStatus().getReason());
            }
            boolean bound = pod.getSpec().getNodeName() != null;
            fate.settled = fate.ran || phase.equals("Failed") || (why.isPresent() && !bound && isNotNominated(pod));
        });
    }

    private static boolean isNotNominated(Pod pod) {
        return Optional.ofNullable(pod.getStatus().getNominatedNodeName())
                .filter(node -> !node.isEmpty())
                .isEmpty();
    }

    private static Optional<String> unschedulable(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .filter(condition -> "Unschedulable".equals(condition.getReason()))
                .map(condition -> String.valueOf(condition.getMessage()))
                .findFirst();
    }

    /** Runs all bursts, waits until nothing changes any more, and returns the figures as a line. */
    String run(String scheduler) {
        for (PriorityChurn.Burst burst : churn.bursts()) {
            burst.deleted().forEach(name -> {
                deleted.add(name);
                cluster.client()
                        .pods()
                        .inNamespace("default")
                        .withName(name)
                        .withGracePeriod(1)
                        .delete();
            });
            burst.created().forEach(pod -> cluster.client().resource(pod).create());
            List<Fate> there = burst.created().stream()
                    .map(this::fate)
                    .flatMap(Optional::stream)
                    .toList();
            await("every pod of the burst runs, has failed or is marked unschedulable")
                    .atMost(TIMEOUT)
                    .until(() -> there.stream().allMatch(fate -> fate.settled));
            await().pollDelay(PAUSE).atMost(TIMEOUT).until(() -> true);
        }
        await().pollDelay(PAUSE.multipliedBy(5)).atMost(TIMEOUT).until(() -> true);
        return line(scheduler);
    }

    /** The kubelets' reasons for refusals → number of pods. */
    Map<String, Long> refused() {
        return fates.values().stream()
                .flatMap(fate -> fate.refused.stream())
                .collect(Collectors.groupingBy(reason -> reason, TreeMap::new, Collectors.counting()));
    }

    private String line(String scheduler) {
        long evicted = fates.entrySet().stream()
                .filter(each -> each.getValue().gone && each.getValue().ran && !deleted.contains(each.getKey()))
                .count();
        return "measured: churn=priorities seed=%d scheduler=%s %s %s evicted=%d failed_attempts=%d"
                .formatted(
                        churn.seed(),
                        scheduler,
                        counts("high", true),
                        counts("others", false),
                        evicted,
                        failedAttempts.get());
    }

    private String counts(String name, boolean high) {
        return "%1$s=%2$d %1$s_ran=%3$d %1$s_refused=%4$d"
                .formatted(
                        name,
                        count(high, fate -> true),
                        count(high, fate -> fate.ran),
                        count(high, fate -> fate.refused.isPresent()));
    }

    private long count(boolean high, Predicate<Fate> which) {
        return fates.values().stream()
                .filter(fate -> fate.high == high && which.test(fate))
                .count();
    }

    @Override
    public void close() {
        watch.close();
    }
}
