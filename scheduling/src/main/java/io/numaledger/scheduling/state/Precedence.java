package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.Reservation.Reason;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which reservations of a node go before a pod, or before the pods of a group.
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
public final class Precedence {

    private final String node;
    private final PodFacts pod;

    /** The pod's own plan. */
    private final Optional<Reservation> own;

    private Precedence(String node, PodFacts pod, Optional<Reservation> own) {
        this.node = node;
        this.pod = pod;
        this.own = own;
    }

    /**
     * The reservations whose place a pod must not take, the most important first.
     *
     * @param all of the node
     */
    static List<Reservation> before(List<Reservation> all, PodFacts pod, String node) {
        if (all.isEmpty()) {
            return all;
        }
        Precedence precedence = new Precedence(
                node,
                pod,
                all.stream()
                        .filter(each ->
                                each.reason() == Reason.GROUP && each.pod().isSameAs(pod))
                        .findFirst());
        return all.stream()
                .filter(each -> !each.pod().key().equals(pod.key()) && precedence.isOf(each))
                .sorted(Comparator.comparingInt(each -> -each.pod().priority().value()))
                .toList();
    }

    /**
     * Which reservations pods of a group leave alone when they are planned together: those for pods of others that have no lower priority than
     * the least important of these, or are being bound.
     *
     * @param members at least one
     */
    public static Predicate<Reservation> beforeGroup(Collection<PodFacts> members) {
        PodFacts least = members.stream()
                .min(Comparator.comparingInt(pod -> pod.priority().value()))
                .orElseThrow();
        return each -> !each.pod().group().group().equals(least.group().group()) && each.goesBefore(least);
    }

    private boolean isOf(Reservation each) {
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
                : difference == 0 && (!isNominatedHere() || PodFacts.BY_AGE.compare(each.pod(), pod) < 0);
    }

    private boolean isNominatedHere() {
        return pod.priority().nominatedNode().filter(node::equals).isPresent();
    }
}
