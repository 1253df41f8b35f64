package io.numaledger.bridge.node;

import java.util.Comparator;

/**
 * Something that nobody publishes of a node, and what is taken for it.
 *
 * @param about the object that it is about, as {@code name=value}; empty: the node as a whole
 */
public record Assumption(Kind kind, String about) implements Comparable<Assumption> {

    /** What is not known. */
    public enum Kind {
        TOPOLOGY_POLICY("no Topology Manager policy is published: taken as none"),
        MANAGER_POLICIES("no CPU or Memory Manager policy is published: taken as static where zones list the resource"),
        POLICY_OPTIONS("no policy options are published: taken as none set"),
        KUBELET_VERSION("the kubelet's version is not known: taken as the newest that is modelled"),
        CORE_SHAPE("cores, sockets and caches are not published: one thread a core, one socket a zone, no caches"),
        DEVICE_ZONES("devices of several zones are not published as such: each zone is taken to have its own"),
        UNHEALTHY_DEVICES("where unhealthy devices lie is not published: they do not count"),
        HELD_BY_COUNT("a pod's record has amounts only: it is taken to hold any CPUs and devices of its zones"),
        MEMORY_GROUPS("a pod's record does not tell memory over several zones: groups follow from what is predicted"),
        INIT_CONTAINERS(
                "what finished init containers keep is not published: as much as predicted, where the pod lies"),
        NOT_YET_SEEN("a pod has no observed record yet: taken as predicted"),
        NO_RECORD("a pod has no record: what the topology's available amounts lack is charged to it"),
        RECORD_CONFLICT("a pod's record does not fit this node: what fits is charged");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final Comparator<Assumption> ORDER =
            Comparator.comparing(Assumption::kind).thenComparing(Assumption::about);

    public static Assumption of(Kind kind) {
        return new Assumption(kind, "");
    }

    @Override
    public int compareTo(Assumption other) {
        return ORDER.compare(this, other);
    }

    /** The kind as a code, such as {@code core-shape}. */
    public String code() {
        return kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    /** One sentence for people. */
    @Override
    public String toString() {
        return about.isEmpty() ? kind.toString() : kind + ": " + about;
    }
}
