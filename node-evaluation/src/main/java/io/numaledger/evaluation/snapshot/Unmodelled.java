package io.numaledger.evaluation.snapshot;

/**
 * Why there is no kubelet model of a node.
 *
 * @param message one sentence for people, which names the node's problem and what to do
 */
public record Unmodelled(Kind kind, String message) {

    /** The kind of problem. */
    public enum Kind {
        /** No zones are published. */
        NO_ZONES("no-zones"),
        /** The NodeResourceTopology cannot be read. */
        UNREADABLE("unreadable"),
        /** The NodeResourceTopology of another exporter is older than is allowed. */
        OUTDATED("outdated"),
        /** The published amounts contradict each other. */
        INCONSISTENT("inconsistent"),
        /** The model does not cover the machine or its configuration. */
        UNSUPPORTED("unsupported");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** As in metrics and the API. */
        @Override
        public String toString() {
            return text;
        }
    }

    @Override
    public String toString() {
        return message;
    }
}
