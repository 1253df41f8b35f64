package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.Sentence;

import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/**
 * Something that is not published about a node, and what is assumed instead.
 *
 * @param pod which it is about; absent: something else, or the whole node
 * @param about the object that it is about, as {@code name=value}; absent: the whole node
 */
public record Assumption(Kind kind, Optional<Holder> pod, Optional<String> about) implements Comparable<Assumption> {

    /** What is not published. */
    public enum Kind {
        TOPOLOGY_POLICY("no Topology Manager policy is published: assumed to be none"),
        MANAGER_POLICIES(
                "no CPU or Memory Manager policy is published: assumed to be static where zones list the resource"),
        POLICY_OPTIONS("no policy options are published: assumed to be off"),
        KUBELET_VERSION("the kubelet's version is unknown, or too new: assumed to be the newest that is modelled"),
        CORE_SHAPE(
                "cores, sockets and caches are not published: assumed to be one thread per core, one socket per zone, no caches"),
        DEVICE_ZONES("devices of several zones are not published as such: each zone is assumed to have its own"),
        UNHEALTHY_DEVICES("the zones of unhealthy devices are not published: they are not counted"),
        HELD_UNHEALTHY_DEVICES(
                "which devices that pods hold are unhealthy, or whether their plugin still lists them, is not published: assumed to be the first ones, and listed"),
        NO_DEVICE_PLUGIN("the Node has a resource that no zone has: assumed not to come from a device plugin"),
        RESOURCE_LEFT_OUT(
                "the published amounts of a resource make no sense: --unknown-nodes decides on pods that request it"),
        DEVICES_CHANGED("the Node's amount of a resource has changed, and its zones are not published again yet"),
        DEVICES_CONTRADICTED(
                "the Node and its zones show different amounts of a resource: --unknown-nodes decides on pods that request it"),
        OFFLINE_CPUS(
                "CPUs are offline that pods hold or that the kubelet may still give out, until it restarts: assumed to be given to nobody"),
        AGENT_AWAY("no agent of the node has been ready for a minute: its kubelet is assumed to be as it was"),
        KUBELET_RESTARTING(
                "the kubelet restarts, and may refuse pods for what ended pods held until it has heard of its pods"),
        HELD_BY_COUNT("a pod's record has amounts only: it is assumed to hold any CPUs and devices of its zones"),
        MEMORY_GROUPS("a pod's record leaves out memory over several zones: groups are assumed as predicted"),
        INIT_CONTAINERS(
                "what finished init containers keep is not published: assumed as predicted, in the pod's zones"),
        CPUS_GIVEN_TWICE(
                "cores or sockets have unequal numbers of CPUs: the kubelet may give a held CPU to another pod as well, and may take it for free when one of them ends; held CPUs are assumed not to be free"),
        MEMORY_HISTORY(
                "a pod holds memory of several zones: how much comes from each, and which zones stay tied together, also depends on pods that have ended"),
        UNHELD_CPUS(
                "a kubelet that restarts may lose CPUs of pods with resources of their own: assumed to be none, as the agent does not read the kubelet's state"),
        POD_LEVEL_REST(
                "a pod has resources of its own: kubelets before 1.37 do not report what it holds beside its containers"),
        NOT_YET_SEEN("a pod has no observed record yet: assumed as predicted"),
        NO_RECORD("a pod has no record: it is charged with what is missing from the topology's available amounts"),
        PODS_MISSING("the zones' available amounts show that pods hold something, and no such pod is known"),
        PARTIAL_RECORD("a pod's record has less than the pod holds: the rest is assumed as predicted"),
        RECORD_CONFLICT("a pod's record contradicts this node: only what fits is charged");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final Comparator<Assumption> ORDER = Comparator.comparing(Assumption::kind)
            .thenComparing(each -> each.about().orElse(""));

    public static Assumption of(Kind kind) {
        return new Assumption(kind, Optional.empty(), Optional.empty());
    }

    /** @param about such as {@code resource=nvidia.com/gpu}; no pod */
    public static Assumption of(Kind kind, String about) {
        return new Assumption(kind, Optional.empty(), Optional.of(about));
    }

    /** @param key of the pod, such as {@code default/a} */
    public static Assumption ofPod(Kind kind, String key) {
        return ofPod(kind, key, "pod=" + key);
    }

    /** @param about more than the name of the pod */
    public static Assumption ofPod(Kind kind, String key, String about) {
        return new Assumption(kind, Optional.of(Holder.of(key)), Optional.of(about));
    }

    @Override
    public int compareTo(Assumption other) {
        return ORDER.compare(this, other);
    }

    /** The kind as a code, such as {@code core-shape}. */
    public String code() {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What it is about, for a reader; empty: the whole node. */
    public Sentence object() {
        String text = about.orElse("");
        return pod.map(holder -> Sentence.about(holder, text)).orElseGet(() -> Sentence.of(text));
    }

    /** A sentence for people. */
    public Sentence sentence() {
        Sentence sentence = Sentence.of(kind.toString());
        return about.isPresent() ? sentence.plus(": ").plus(object()) : sentence;
    }
}
