package io.numaledger.evaluation.holder;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.Optional;

/** Who holds resources of a node. The text form has the names. */
public sealed interface Holder {

    /** The key of what pods without a placement record hold together: no namespace, and a name that no pod has. */
    String UNKNOWN = "/*";

    /** The namespace whose readers may read the name; absent: there is no name. */
    Optional<String> namespace();

    /** What it is called where its name may not be read. */
    String withoutName();

    /** A pod. */
    record Pod(String namespaceName, String name) implements Holder {

        @Override
        public Optional<String> namespace() {
            return Optional.of(namespaceName);
        }

        @Override
        public String withoutName() {
            return "a pod of another namespace";
        }

        @Override
        public String toString() {
            return namespaceName + "/" + name;
        }
    }

    /** A pod that the API server shows no more, and whose kubelet has not confirmed its end. */
    record Deleted(Pod pod) implements Holder {

        @Override
        public Optional<String> namespace() {
            return pod.namespace();
        }

        @Override
        public String withoutName() {
            return "a deleted pod";
        }

        @Override
        public String toString() {
            return PodFacts.deletedKey(pod.toString());
        }
    }

    /** Pods without a placement record, together; or somebody without a namespace. */
    record Other(String text) implements Holder {

        @Override
        public Optional<String> namespace() {
            return Optional.empty();
        }

        @Override
        public String withoutName() {
            return text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** The holder that the kubelet's model and node snapshots know by this key, such as {@code default/a}. */
    static Holder of(String key) {
        int slash = key.indexOf('/');
        String name = key.substring(slash + 1);
        if (key.equals(UNKNOWN)) {
            return new Other("pods without a placement record");
        }
        if (slash < 0) {
            return new Other(key);
        }
        String namespace = key.substring(0, slash);
        Optional<Holder> deleted = PodFacts.nameOfDeleted(name).map(own -> new Deleted(new Pod(namespace, own)));
        return deleted.orElseGet(() -> new Pod(namespace, name));
    }
}
