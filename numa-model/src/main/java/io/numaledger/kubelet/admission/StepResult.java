package io.numaledger.kubelet.admission;

import java.util.Optional;

/**
 * What became of one step of admission.
 *
 * @param <S> the state of one resource manager
 */
public sealed interface StepResult<S> {

    /** The state after the step, whatever became of it. */
    S state();

    default Optional<Refusal> refused() {
        return Optional.empty();
    }

    /** The state after the step; unchanged where there was nothing to do. */
    record Done<S>(S state) implements StepResult<S> {}

    /** The step failed, and with it the pod. The state may hold what the step took before it failed. */
    record Failed<S>(Refusal refusal, S state) implements StepResult<S> {

        @Override
        public Optional<Refusal> refused() {
            return Optional.of(refusal);
        }
    }
}
