package io.numaledger.evaluation.fit;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The refusals of equal pods by nodes of one type. Thousands of nodes share few of them: each is made once, by a number that says
 * why the node refuses the pod. Thread-safe.
 */
final class TypeRefusals {

    private final Optional<String> ofEmpty;
    private final Map<Integer, Evaluation> byNumber = new ConcurrentHashMap<>();

    TypeRefusals(Optional<String> ofEmpty) {
        this.ofEmpty = ofEmpty;
    }

    /** The summary of the refusal by a node of this type without pods; absent: it fits there. */
    Optional<String> ofEmpty() {
        return ofEmpty;
    }

    Optional<Evaluation> get(int number) {
        return Optional.ofNullable(byNumber.get(number));
    }

    void put(int number, Evaluation refused) {
        byNumber.put(number, refused);
    }
}
