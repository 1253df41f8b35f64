package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.kubelet.admission.ResourceFit;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The result of evaluating one pod on one node, as far as NUMA alignment decides. It does not name the node: nodes of one
 * equivalence class share one result.
 */
public sealed interface Evaluation {

    /** The node may run the pod: it fits, or nothing is known against it. */
    boolean admits();

    /** How good an admitting node is, see {@link Ranking#rank}. */
    long rank();

    /** Why the node refuses the pod; absent: it does not. */
    default Optional<Refused> refused() {
        return this instanceof Refused refused ? Optional.of(refused) : Optional.empty();
    }

    /** This evaluation; or, if it admits the pod, why the node refuses it nevertheless. */
    default Evaluation unless(Supplier<Optional<Refused>> refusal) {
        return admits() ? refusal.get().<Evaluation>map(refused -> refused).orElse(this) : this;
    }

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
     * @param summary what the pod needs and why it is refused: the same in each answer until the reason changes, and on each node that
     *     refuses the pod for this reason. It names no pod
     * @param message the same as one sentence with free amounts, holders and times; the summary where nodes share the refusal
     * @param resources how the requested resources fit the node; empty where the reason is another
     * @param unresolvable the node would refuse the pod without any other pods, too
     */
    record Refused(
            RefusalReason reason, String summary, Sentence message, List<ResourceFit> resources, boolean unresolvable)
            implements Evaluation {

        public Refused {
            resources = List.copyOf(resources);
        }

        /** A refusal about which there is no more to say than its summary. */
        public static Refused of(RefusalReason reason, String summary, boolean unresolvable) {
            return new Refused(reason, summary, Sentence.of(summary), List.of(), unresolvable);
        }

        /** The first resource of which too little is free; absent: none by itself, or the reason is another. */
        public Optional<String> shortResource() {
            return resources.stream()
                    .filter(ResourceFit::isShort)
                    .map(ResourceFit::resource)
                    .findFirst();
        }

        /**
         * This refusal, unresolvable if the node refuses the pod without other pods, too. Then what these other pods hold is not the reason.
         *
         * @param summaryOfEmpty of the refusal by the node without pods; absent: it fits there
         */
        Refused orOnEmpty(Optional<String> summaryOfEmpty) {
            return new Refused(reason, summaryOfEmpty.orElse(summary), message, resources, summaryOfEmpty.isPresent());
        }

        /** This refusal with more about it in the message. */
        public Refused explained(String addition) {
            return explained(Sentence.of(addition));
        }

        /** This refusal with more about it in the message. */
        Refused explained(Sentence addition) {
            return new Refused(reason, summary, message.plus(addition), resources, unresolvable);
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
    record Unknown(Sentence why) implements Evaluation {

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
