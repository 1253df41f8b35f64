package io.numaledger.evaluation.snapshot;

import java.time.Duration;

/**
 * The policy for nodes without a kubelet model.
 *
 * @param holdLimit how long a node is held; afterwards it is refused
 */
public record UnknownNodes(UnknownNodePolicy policy, Duration holdLimit) {

    public static final UnknownNodes DEFAULT = new UnknownNodes(UnknownNodePolicy.auto, Duration.ofMinutes(10));

    public UnknownNodes {
        if (holdLimit.isNegative()) {
            throw new IllegalArgumentException(
                    "the limit is negative: holdLimit=%s; use 0s or more".formatted(holdLimit));
        }
    }

    /**
     * The action for a node.
     *
     * @param zonesExpected zones were published before or are published in a form that cannot be used, a pod of the node carries an
     *     observed placement, or an agent starts there
     * @param unmodelledFor how long there has been no model
     */
    public UnknownNodeAction action(boolean zonesExpected, Duration unmodelledFor) {
        return switch (policy) {
            case admit -> UnknownNodeAction.ADMIT;
            case refuse -> UnknownNodeAction.REFUSE;
            case hold -> held(unmodelledFor);
            case auto -> zonesExpected ? held(unmodelledFor) : UnknownNodeAction.ADMIT;
        };
    }

    private UnknownNodeAction held(Duration unmodelledFor) {
        return unmodelledFor.compareTo(holdLimit) < 0 ? UnknownNodeAction.HOLD : UnknownNodeAction.REFUSE;
    }
}
