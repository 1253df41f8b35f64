package io.numaledger.kubelet;

import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.device.UndeterminedChoice;
import io.numaledger.kubelet.hint.KubeletFailureException;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.Sorted;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** The kubelet's decision on a pod. */
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
     * @param byContainer of each container that was evaluated, with scope container
     * @param offered the hints of devices, CPUs and memory, in this order, by container; {@code *} is the pod as a whole
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
     * The kubelet admits the pod.
     *
     * @param containers what each container holds, in the order in which the kubelet allocates
     * @param cpus exclusive CPUs of the pod as a whole, for a pod with resources of its own that is placed as a whole; what its
     *     containers hold are parts of them
     * @param memory memory of such a pod as a whole
     * @param undetermined choices that the kubelet makes at random. If there are any, the device counts per NUMA node, and what
     *     follows from them, are one of several possible results
     */
    record Admitted(
            Hints hints,
            List<PredictedContainer> containers,
            CpuSet cpus,
            List<MemoryBlock> memory,
            List<UndeterminedChoice> undetermined)
            implements Admission {

        public Admitted {
            containers = List.copyOf(containers);
            memory = List.copyOf(memory);
            undetermined = List.copyOf(undetermined);
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
     * The kubelet refuses the pod.
     *
     * @param undetermined choices that the kubelet made at random earlier on this node; the refusal may depend on them
     */
    record Refused(Hints hints, Refusal refusal, List<UndeterminedChoice> undetermined) implements Admission {

        public Refused {
            undetermined = List.copyOf(undetermined);
        }

        @Override
        public Optional<Refusal> refused() {
            return Optional.of(refusal);
        }
    }

    /** The kubelet itself panics or hangs: it decides on this pod and on later ones never. */
    record KubeletFailure(KubeletFailureException.Kind kind, String why) implements Admission {}

    /** The machine is not modelled; nothing is predicted. */
    record Unsupported(String why) implements Admission {}
}
