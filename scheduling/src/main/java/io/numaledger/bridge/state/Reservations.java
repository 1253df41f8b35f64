package io.numaledger.bridge.state;

import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.Reservation.Reason;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * For which pods one node is reserved, and whether another pod may run there. The node's lock guards changes; any thread may read.
 *
 * <table>
 * <caption>Which reservations go before a pod</caption>
 * <tr><td>the pod's plan is being bound</td><td>none</td></tr>
 * <tr><td>for a pod of the same plan</td><td>no: the plan has room for both</td></tr>
 * <tr><td>for a pod of higher priority</td><td>yes</td></tr>
 * <tr><td>for a pod whose plan is being bound</td><td>yes, unless the pod is planned here itself</td></tr>
 * <tr><td>for a planned pod of the same priority</td><td>yes, unless the pod is planned here itself: later plans leave room for earlier
 * ones</td></tr>
 * <tr><td>for a nominated pod of the same priority</td><td>yes (runtime/framework.go, addGENominatedPods); if the pod is nominated for this
 * node itself, only for an older one</td></tr>
 * </table>
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

    /** Those for pods of groups. */
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
        List<Reservation> all = all();
        if (all.isEmpty()) {
            return all;
        }
        Optional<Reservation> own = all.stream()
                .filter(each -> each.reason() == Reason.GROUP && each.pod().isSameAs(pod))
                .findFirst();
        return all.stream()
                .filter(each -> !each.pod().key().equals(pod.key()) && goesBefore(each, pod, own))
                .sorted(Comparator.comparingInt(each -> -each.pod().priority().value()))
                .toList();
    }

    private boolean goesBefore(Reservation each, PodFacts pod, Optional<Reservation> own) {
        if (own.filter(planned -> planned.binding() || planned.plan() == each.plan())
                .isPresent()) {
            return false;
        }
        int difference = each.pod().priority().value() - pod.priority().value();
        if (difference > 0) {
            return true;
        }
        return each.reason() == Reason.GROUP
                ? own.isEmpty() && each.goesBefore(pod)
                : difference == 0 && (!isNominatedHere(pod) || PodFacts.BY_AGE.compare(each.pod(), pod) < 0);
    }

    private boolean isNominatedHere(PodFacts pod) {
        return pod.priority().nominatedNode().filter(node::equals).isPresent();
    }

    /**
     * Why the node refuses a pod that fits it: it would take the place of others that go before it.
     *
     * @param use is asked only if there are such pods
     */
    Optional<Refused> refusal(PodFacts pod, Supplier<Optional<NodeUse>> use) {
        List<Reservation> before = before(pod);
        if (before.isEmpty()
                || use.get().filter(now -> now.wouldDisplace(pod, before)).isEmpty()) {
            return Optional.empty();
        }
        boolean isNominated = before.stream().anyMatch(each -> each.reason() == Reason.NOMINATED);
        return Optional.of((isNominated ? Reason.NOMINATED : Reason.GROUP).refusal());
    }
}
