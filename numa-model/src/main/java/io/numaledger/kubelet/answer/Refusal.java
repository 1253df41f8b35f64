package io.numaledger.kubelet.answer;

import java.util.List;
import java.util.Optional;

/**
 * The kubelet's no.
 *
 * @param message as in the pod's status, without the prefix {@code Pod was rejected: }; absent where the kubelet names
 *     any one of several resources
 * @param container the container at which admission ended; absent when the pod was refused as a whole
 * @param why what stood in the way, one entry per resource that had a part in it
 */
public record Refusal(Reason reason, Optional<String> message, Optional<String> container, List<Why> why) {

    /** The reason in the pod's status. */
    public enum Reason {
        TOPOLOGY_AFFINITY("TopologyAffinityError"),
        UNEXPECTED_ADMISSION("UnexpectedAdmissionError"),
        SMT_ALIGNMENT("SMTAlignmentError"),
        EMPTY_POD_SHARED_POOL("EmptyPodSharedPoolError");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public Refusal {
        why = List.copyOf(why);
    }

    /** An error that the kubelet did not foresee, while it allocated (cm/admission/errors.go). */
    public static Refusal unexpected(String error, Why why) {
        return new Refusal(
                Reason.UNEXPECTED_ADMISSION,
                Optional.of("Allocate failed due to %s, which is unexpected".formatted(error)),
                Optional.empty(),
                List.of(why));
    }

    public Refusal at(String containerName) {
        return new Refusal(reason, message, Optional.of(containerName), why);
    }
}
