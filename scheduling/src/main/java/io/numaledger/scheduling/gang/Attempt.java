package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.gang.Gang.State;
import io.numaledger.scheduling.queue.RetryRequests;
import io.numaledger.scheduling.state.NodeNames;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** One attempt of kube-scheduler to find a node for each pod of a gang. It calls filter once for each. {@link Gang} has its states. */
final class Attempt {

    private final Set<String> called = new HashSet<>();
    private Optional<ActivePlan> plan = Optional.empty();
    private Optional<Refusal> refusal = Optional.empty();

    /** The retries that were requested since the last filter call. */
    private RetryRequests requests = RetryRequests.NONE;

    /**
     * The group did not fit.
     *
     * @param pod for which filter was called
     * @param names with these nodes
     * @param version of the cluster's nodes at that time
     * @param at in nanoseconds
     */
    record Refusal(PodFacts pod, NodeNames names, long version, long at) {}

    State state() {
        return refusal().isPresent()
                ? State.REFUSED
                : plan.map(ActivePlan::state).orElse(State.OPEN);
    }

    Optional<ActivePlan> plan() {
        return plan;
    }

    /** The last refusal; absent once a retry is requested. */
    Optional<Refusal> refusal() {
        return refusal.filter(any -> requests.count() == 0);
    }

    /** The refusal of the last filter call for which a retry may be requested now, once more or for the first time. */
    Optional<Refusal> toRetry(long now) {
        return refusal.filter(any -> requests.mayRequest(now));
    }

    void retryRequested(long now) {
        requests = requests.requested(now);
    }

    boolean hasCalled(PodFacts pod) {
        return pod.uid().filter(called::contains).isPresent();
    }

    void planned(ActivePlan active) {
        plan = Optional.of(active);
    }

    void ended(ActivePlan active) {
        plan = plan.filter(each -> each.number() != active.number());
    }

    /** A filter call is answered. */
    void answered(PodFacts pod, Optional<Refusal> refused) {
        pod.uid().ifPresent(called::add);
        refusal = refused;
        requests = RetryRequests.NONE;
    }

    /** Whether the group fits was checked once more. */
    void checked(Optional<Refusal> left) {
        refusal = left;
    }
}
