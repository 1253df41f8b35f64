package io.numaledger.agent.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether the kubelet has restarted and may still refuse pods for what ended pods held. It forgets ended pods only when it has heard of
 * all its sources (removeStaleState in cm/cpumanager/policy_static.go and its likes; sourcesReady in kubelet.go). The API server is the last of them,
 * and counts once its first pods are admitted: by then podresources lists them, and a pod that is bound later comes after them.
 *
 * <table>
 * <caption>how long it lasts</caption>
 * <tr><th>the kubelet</th><th>restarting</th></tr>
 * <tr><td>does not answer</td><td>yes</td></tr>
 * <tr><td>answers, and pods that run here are missing</td><td>yes, as long as these keep their records</td></tr>
 * <tr><td>answers, and no pod of the API server runs here</td><td>for {@link #WITHOUT_PODS}: nothing shows whether it has heard</td></tr>
 * <tr><td>lists the pods that run here</td><td>no</td></tr>
 * </table>
 */
final class KubeletRestart {

    /** A kubelet asks the API server for its pods about a second after its start. */
    static final Duration WITHOUT_PODS = Duration.ofSeconds(10);

    private boolean begun;
    private Optional<Instant> answers = Optional.empty();

    /** The kubelet went away; may be called from any thread. */
    synchronized void begins() {
        begun = true;
        answers = Optional.empty();
    }

    /**
     * True while it lasts; to be called when the kubelet has answered.
     *
     * @param missing pods that run here are not listed, and keep their records
     * @param listed a pod of the API server is listed
     */
    synchronized boolean lasts(boolean missing, boolean listed, Instant now) {
        if (begun) {
            answers = answers.or(() -> Optional.of(now));
            begun = missing || (!listed && now.isBefore(answers.get().plus(WITHOUT_PODS)));
        }
        return begun;
    }

    /** How long it lasts yet where no pod is missing; empty if it does not end by itself. */
    synchronized Optional<Duration> left(Instant now) {
        return (begun ? answers : Optional.<Instant>empty())
                .map(since -> Duration.between(now, since.plus(WITHOUT_PODS)))
                .filter(left -> left.compareTo(Duration.ZERO) > 0);
    }
}
