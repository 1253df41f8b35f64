package io.numaledger.bridge.extender;

import io.numaledger.evaluation.fit.Evaluation.Refused;

/**
 * In which list {@code filter} answers a node whose zones do not fit the pod now, but could if other pods ended; the values of
 * {@code --zone-refusals}. A node that would refuse the pod without any other pods is unresolvable for every scheduler.
 */
public enum ZoneRefusals {
    /**
     * The list FailedAndUnresolvableNodes, for kube-scheduler. Where the pod fits by node-level requests it looks for victims, finds none, and
     * names the nodes in random order: a text that changes, so that it retries the pod without end.
     */
    unresolvable,
    /** The list FailedNodes, for schedulers that call {@code preempt} for such nodes. */
    preemptable;

    /** Where a node lacks room as a whole, kube-scheduler itself looks for victims. */
    boolean isUnresolvable(Refused refused) {
        return refused.unresolvable()
                || (this == unresolvable && !refused.reason().isAboutNode());
    }
}
