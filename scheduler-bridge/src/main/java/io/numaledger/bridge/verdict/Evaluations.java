package io.numaledger.bridge.verdict;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts where answers came from. */
public final class Evaluations {

    /** Where an answer came from. */
    public enum Form {
        /** From counts, which are proven to suffice for this node and pod. */
        COUNTS,
        /** The full model worked it out. */
        FULL,
        /** Known of this node, or from one in the same state. */
        SHARED,
        /** Nothing is known of the node's zones. */
        NONE
    }

    private final Map<Form, LongAdder> byForm = new EnumMap<>(Form.class);

    Evaluations() {
        for (Form form : Form.values()) {
            byForm.put(form, new LongAdder());
        }
    }

    /** So many more. */
    public void add(Form form, int nodes) {
        byForm.get(form).add(nodes);
    }

    /** How many so far. */
    public long count(Form form) {
        return byForm.get(form).sum();
    }
}
