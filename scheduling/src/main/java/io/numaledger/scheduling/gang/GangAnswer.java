package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;

import java.util.Optional;

/** What a filter call for a pod of a gang gets. */
public sealed interface GangAnswer {

    GangAnswer DOES_NOT_FIT = none("the pod's group does not fit as a whole on the nodes in question");
    GangAnswer LEFT_OUT = none("no room is left beside the other pods of its group");
    GangAnswer INCOMPLETE = none("waits for the other pods of its group");

    /** Why the pod must not run on a node; absent: it may. */
    Optional<Refused> refusal(String node);

    /** This node, and no other. */
    record Planned(String node) implements GangAnswer {

        private static final Refused ELSEWHERE = Refused.of(
                RefusalReason.PLANNED_FOR_ANOTHER_NODE, "the pod's group fits if the pod runs on another node", false);

        @Override
        public Optional<Refused> refusal(String other) {
            return node.equals(other) ? Optional.empty() : Optional.of(ELSEWHERE);
        }
    }

    /** The answer names no node. */
    record None(Refused refused) implements GangAnswer {

        @Override
        public Optional<Refused> refusal(String other) {
            return Optional.of(refused);
        }
    }

    private static GangAnswer none(String summary) {
        return new None(Refused.of(RefusalReason.GROUP_DOES_NOT_FIT, summary, false));
    }
}
