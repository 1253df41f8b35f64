package io.numaledger.evaluation.facts;

import java.time.Instant;
import java.util.Optional;

/**
 * Who made a pod, and when.
 *
 * @param controller the kind of its controller, such as {@code ReplicaSet}; absent: it has none
 * @param created its creation time, the order in which a kubelet that starts looks at its pods; absent: not known
 */
public record PodOrigin(Optional<String> controller, Optional<Instant> created) {

    public static final PodOrigin UNKNOWN = new PodOrigin(Optional.empty(), Optional.empty());

    /** Whether its controller runs one pod on each node: a drain leaves it alone, and no other node takes it. */
    public boolean isOfDaemonSet() {
        return controller.filter("DaemonSet"::equals).isPresent();
    }
}
