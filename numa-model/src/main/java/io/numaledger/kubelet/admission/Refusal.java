package io.numaledger.kubelet.admission;

import java.util.List;
import java.util.Optional;

/**
 * A refusal by the kubelet.
 *
 * @param message as in the pod's status, without the prefix {@code Pod was rejected: }; absent where the kubelet names
 *     any one of several resources
 * @param container the container that was refused; absent when the pod was refused as a whole
 * @param resources how each resource that had a part in the refusal fits the node
 */
public record Refusal(
        Reason reason, Optional<String> message, Optional<String> container, List<ResourceFit> resources) {

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
        resources = List.copyOf(resources);
    }

    /** An error that the kubelet did not foresee, while it allocated (cm/admission/errors.go). */
    public static Refusal unexpected(String error, ResourceFit fit) {
        return new Refusal(
                Reason.UNEXPECTED_ADMISSION,
                Optional.of("Allocate failed due to %s, which is unexpected".formatted(error)),
                Optional.empty(),
                List.of(fit));
    }

    /** This refusal, of one container. */
    public Refusal at(String containerName) {
        return new Refusal(reason, message, Optional.of(containerName), resources);
    }
}
