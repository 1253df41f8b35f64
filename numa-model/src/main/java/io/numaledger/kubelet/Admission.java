package io.numaledger.kubelet;

import io.numaledger.kubelet.answer.Refusal;
import io.numaledger.kubelet.device.OpenDraw;
import io.numaledger.kubelet.hint.KubeletBreaksException;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.topology.Sorted;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** What the kubelet answers to a pod. */
public sealed interface Admission {

    default boolean isAdmitted() {
        return false;
    }

    /** The refusal, where this is one. */
    default Optional<Refusal> refused() {
        return Optional.empty();
    }

    /**
     * The merged hints.
     *
     * @param pod of the pod as a whole, with Topology Manager scope pod
     * @param byContainer of each container that was looked at, with scope container
     * @param offered what devices, CPUs and memory offered, in this order, by container; {@code *} is the pod as a whole
     */
    record Hints(
            Optional<TopologyHint> pod,
            SortedMap<String, TopologyHint> byContainer,
            SortedMap<String, List<ProviderHints>> offered) {

        public Hints {
            byContainer = Sorted.sorted(byContainer);
            offered = Sorted.sorted(offered);
        }
    }

    /**
     * The pod starts.
     *
     * @param containers what each container holds, in the order in which the kubelet allocates
     * @param open choices that the kubelet may make otherwise: where it is not empty, counts of devices per NUMA node, and
     *     what follows from them, are one of several outcomes
     */
    record Admitted(Hints hints, List<PredictedContainer> containers, List<OpenDraw> open) implements Admission {

        public Admitted {
            containers = List.copyOf(containers);
            open = List.copyOf(open);
        }

        @Override
        public boolean isAdmitted() {
            return true;
        }

        public Optional<PredictedContainer> container(String name) {
            return containers.stream().filter(each -> each.name().equals(name)).findFirst();
        }
    }

    /**
     * The pod fails.
     *
     * @param open choices that the kubelet may make otherwise, earlier on this node: the answer may hang on them
     */
    record Refused(Hints hints, Refusal refusal, List<OpenDraw> open) implements Admission {

        public Refused {
            open = List.copyOf(open);
        }

        @Override
        public Optional<Refusal> refused() {
            return Optional.of(refusal);
        }
    }

    /** The kubelet itself gives way: no answer, and no other pod on this node either. */
    record Breaks(KubeletBreaksException.Kind kind, String why) implements Admission {}

    /** The machine is beyond what is modelled; nothing is predicted. */
    record Beyond(String why) implements Admission {}
}
