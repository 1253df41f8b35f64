package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The pods for which one node is reserved, and whether another pod may run there. The node's lock guards changes; any thread may read.
 */
final class Reservations {

    private final String node;
    private final NominatedPods nominated;
    private final AtomicInteger plannedPods;
    private volatile List<Reservation> planned = List.of();

    /** @param plannedPods counts those of all nodes */
    Reservations(String node, NominatedPods nominated, AtomicInteger plannedPods) {
        this.node = node;
        this.nominated = nominated;
        this.plannedPods = plannedPods;
    }

    /** Pods of groups, in the order in which they should be bound; then nominated pods that are not planned here as well. */
    List<Reservation> all() {
        List<Reservation> now = planned;
        List<PodFacts> others = nominated.on(node);
        if (others.isEmpty()) {
            return now;
        }
        Set<String> keys = now.stream().map(each -> each.pod().key()).collect(Collectors.toSet());
        return Stream.concat(
                        now.stream(),
                        others.stream().filter(pod -> !keys.contains(pod.key())).map(Reservation::nominated))
                .toList();
    }

    /** The reservations for pods of groups. */
    List<Reservation> planned() {
        return planned;
    }

    void plan(List<Reservation> more) {
        set(Stream.concat(planned.stream(), more.stream()).toList());
    }

    /** The pods of a plan are being bound: from now on, no pod takes their place, however important. */
    void beingBound(long plan) {
        set(planned.stream()
                .map(each -> each.plan() == plan ? each.beingBound() : each)
                .toList());
    }

    /** Ends reservations for pods of groups. Returns whether there were any of these. */
    boolean removePlanned(Predicate<Reservation> which) {
        List<Reservation> left = planned.stream().filter(which.negate()).toList();
        boolean removed = left.size() < planned.size();
        if (removed) {
            set(left);
        }
        return removed;
    }

    private void set(List<Reservation> pods) {
        plannedPods.addAndGet(pods.size() - planned.size());
        planned = pods;
    }

    /** The reservations whose place a pod must not take, the most important first. */
    List<Reservation> before(PodFacts pod) {
        return Precedence.before(all(), pod, node);
    }

    /**
     * Why the node refuses a pod that fits it: it would take the place of others that go before it.
     *
     * @param use is asked only if there are such pods
     */
    Optional<Refused> refusal(PodFacts pod, Supplier<Optional<NodeUse>> use) {
        return before(pod).isEmpty()
                ? Optional.empty()
                : use.get().flatMap(now -> Feasibility.of(now).reserved(pod));
    }
}
