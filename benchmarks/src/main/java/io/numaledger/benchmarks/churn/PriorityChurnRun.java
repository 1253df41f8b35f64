package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.numaledger.simulator.cluster.SimCluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import static org.awaitility.Awaitility.await;

/** Runs a {@link PriorityChurn}: the next burst comes one second after every pod runs, has failed or is marked unschedulable. */
public final class PriorityChurnRun implements AutoCloseable {

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
        private volatile boolean refused;
        private volatile boolean gone;

        Fate(boolean high) {
            this.high = high;
        }
    }

    /**
     * The figures.
     *
     * @param highRan pods of the high priority that ran
     * @param highRefused those that a kubelet refused
     * @param evicted pods that ran and vanished though nobody deleted them
     * @param failedAttempts changes of the condition PodScheduled to false
     */
    public record Report(
            long seed,
            long high,
            long highRan,
            long highRefused,
            long others,
            long othersRan,
            long othersRefused,
            long evicted,
            int failedAttempts) {

        public String line(String scheduler) {
            return "measured: churn=priorities seed=%d scheduler=%s high=%d high_ran=%d high_refused=%d others=%d others_ran=%d others_refused=%d evicted=%d failed_attempts=%d"
                    .formatted(
                            seed,
                            scheduler,
                            high,
                            highRan,
                            highRefused,
                            others,
                            othersRan,
                            othersRefused,
                            evicted,
                            failedAttempts);
        }
    }

    public PriorityChurnRun(SimCluster cluster, PriorityChurn churn) {
        this.cluster = cluster;
        this.churn = churn;
        churn.bursts().stream()
                .flatMap(burst -> burst.created().stream())
                .forEach(pod -> fates.put(pod.getMetadata().getName(), new Fate(PriorityChurn.isHigh(pod))));
        cluster.client()
                .resource(new PriorityClassBuilder()
                        .withNewMetadata()
                        .withName(PriorityChurn.HIGH)
                        .endMetadata()
                        .withValue(1000)
                        .build())
                .createOr(NonDeletingOperation::update);
        this.watch = cluster.client().pods().inNamespace("default").inform(new Watcher());
    }

    private final class Watcher implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            seen(Optional.empty(), pod);
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            seen(Optional.of(before), pod);
        }

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {
            fate(pod).ifPresent(fate -> {
                fate.gone = true;
                fate.settled = true;
            });
        }
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
            fate.refused |= phase.equals("Failed") && pod.getStatus().getReason() != null && !fate.ran;
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

    /** Runs all bursts, and waits until nothing changes any more. */
    public Report run() {
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
        return report();
    }

    private Report report() {
        return new Report(
                churn.seed(),
                count(true, fate -> true),
                count(true, fate -> fate.ran),
                count(true, fate -> fate.refused),
                count(false, fate -> true),
                count(false, fate -> fate.ran),
                count(false, fate -> fate.refused),
                fates.entrySet().stream()
                        .filter(each -> each.getValue().gone && each.getValue().ran && !deleted.contains(each.getKey()))
                        .count(),
                failedAttempts.get());
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
