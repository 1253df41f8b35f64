package io.numaledger.bridge.evaluation;

import io.numaledger.bridge.score.Ranking;
import io.numaledger.kubelet.admission.ResourceFit;

import java.util.List;
import java.util.Optional;

/**
 * The result of evaluating one pod on one node, as far as NUMA alignment decides. It does not name the node: nodes of one
 * equivalence class share one result.
 */
public sealed interface Evaluation {

    /** The node may run the pod: it fits, or nothing is known against it. */
    boolean admits();

    /** How good an admitting node is, see {@link Ranking#rank}. */
    long rank();

    /**
     * The kubelet would admit the pod.
     *
     * @param placement where the kubelet would place the pod; absent where only the rank was computed
     */
    record Fits(long rank, Optional<PredictedPlacement> placement) implements Evaluation {

        @Override
        public boolean admits() {
            return true;
        }
    }

    /**
     * The pod must not run on the node.
     *
     * @param message one sentence for people
     * @param resources how the requested resources fit the node; empty where the reason is another
     * @param unresolvable the node would refuse the pod without any other pods, too
     */
    record Refused(RefusalReason reason, String message, List<ResourceFit> resources, boolean unresolvable)
            implements Evaluation {

        public Refused {
            resources = List.copyOf(resources);
        }

        Refused unresolvable(boolean never) {
            return new Refused(reason, message, resources, never);
        }

        @Override
        public boolean admits() {
            return false;
        }

        @Override
        public long rank() {
            return Ranking.LOWEST;
        }
    }

    /**
     * Nothing is known of the node's zones, so the kubelet's decision cannot be predicted.
     *
     * @param why one sentence for people
     */
    record Unknown(String why) implements Evaluation {

        @Override
        public boolean admits() {
            return true;
        }

        @Override
        public long rank() {
            return Ranking.LOWEST;
        }
    }
}
