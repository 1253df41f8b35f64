package io.numaledger.scheduling.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * The nodes for which the bridge has nominated one pod. It is not nominated again for a node that kube-scheduler has refused itself, such as
 * for volumes or other pods, until the node changes, and less and less often. The queue's lock guards this.
 */
final class Nominations {

    /** kube-scheduler ends a nomination at the end of a failed attempt: so long after the last call, no attempt is under way. */
    static final Duration FIRST_AFTER = Duration.ofMillis(300);

    /** The pause between two nominations; doubled each time. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    /** The pause after kube-scheduler has refused a nominated node; doubled each time. */
    static final Duration PAUSE_AFTER_REFUSAL = Duration.ofSeconds(20);

    static final Duration MAX_PAUSE = Duration.ofMinutes(5);

    /** So long after a nomination, kube-scheduler has tried the pod. It does not end each nomination; others are kept from the place meanwhile. */
    static final Duration TIMEOUT = Duration.ofMinutes(2);

    /** The nomination should end so long after the node did not take the pod. kube-scheduler does not end some, such as without preemption. */
    static final Duration END_TIMEOUT = Duration.ofSeconds(2);

    private static final int MAX_DOUBLINGS = 16;

    /** The node for which the pod was nominated last. */
    private Optional<String> last = Optional.empty();

    /** The node for which the pod is nominated, until the scheduler has tried it there. */
    private Optional<String> node = Optional.empty();

    /** The node for which the pod's nomination was ended last. */
    private Optional<String> ending = Optional.empty();

    private int count;
    private int refusals;
    private long pausedUntil;
    private long since;

    /** Nodes that kube-scheduler has refused itself. */
    private final Map<String, Refusal> refused = new HashMap<>();

    /**
     * @param until when the pod may be nominated for the node again
     * @param version the same if the version of the node's state is later
     */
    private record Refusal(long until, long version) {}

    /** The pod is nominated for this node. */
    void nominated(String nodeName, long now) {
        if (count == 0) {
            pausedUntil = now;
        }
        node = Optional.of(nodeName);
        last = node;
        since = now;
        pause(PAUSE, count++, now);
    }

    /** The node for which the pod is nominated as long as the scheduler has not tried it there. */
    Optional<String> untried() {
        return node;
    }

    /** The node for which the pod is nominated, and that does not take it, as a call of {@code filter} shows. */
    Optional<String> refusing(FilterOutcome outcome) {
        return node.equals(outcome.nominated()) && !(outcome.isForNominatedNode() && outcome.admitted())
                ? node
                : Optional.empty();
    }

    /**
     * The nominated node has refused the pod.
     *
     * @param itself whether kube-scheduler has, and not the bridge
     * @param version of the node's state
     */
    void refused(boolean itself, long version, long now) {
        if (itself) {
            refused.put(node.orElseThrow(), new Refusal(now + MAX_PAUSE.toNanos(), version));
            pause(PAUSE_AFTER_REFUSAL, refusals++, now);
        }
        node = Optional.empty();
        since = now;
    }

    private void pause(Duration first, int doublings, long now) {
        long pause = Math.min(MAX_PAUSE.toNanos(), first.toNanos() << Math.min(doublings, MAX_DOUBLINGS));
        pausedUntil = Math.max(pausedUntil, now + pause);
    }

    /** Whether kube-scheduler should have ended the last nomination, or bound the pod. */
    boolean isOverdue(long now) {
        return last.isPresent() && now - since >= (node.isPresent() ? TIMEOUT : END_TIMEOUT).toNanos();
    }

    /** The last nomination has ended. */
    void ended() {
        ending = last;
        last = Optional.empty();
        node = Optional.empty();
    }

    /** The end of the last nomination could not be written. */
    void notEnded(long now) {
        last = last.or(() -> ending);
        since = now;
    }

    /** Whether the pod may be nominated now. */
    boolean mayBegin(long now) {
        return count == 0 || now - pausedUntil >= 0;
    }

    /** Whether kube-scheduler has refused a nominated node itself: the bridge does not know all that matters for the pod. */
    boolean wereRefused() {
        return refusals > 0;
    }

    /** Whether this nomination is not one of the bridge's: others are evicted there for the pod. */
    boolean isOther(String nominatedNode) {
        return !last.equals(Optional.of(nominatedNode));
    }

    /**
     * The nodes for which the pod may not be nominated now.
     *
     * @param version of a node's state
     */
    Set<String> refused(ToLongFunction<String> version, long now) {
        refused.entrySet()
                .removeIf(each -> now - each.getValue().until() >= 0
                        || version.applyAsLong(each.getKey()) > each.getValue().version());
        return Set.copyOf(refused.keySet());
    }
}
