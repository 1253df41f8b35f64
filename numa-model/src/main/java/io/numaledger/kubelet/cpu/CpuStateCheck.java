package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.KubeletRules.PodLevel;
import io.numaledger.topology.CpuSet;

import java.util.Optional;

/** What the static policy checks of the state file when it starts (cm/cpumanager/policy_static.go, validateState). */
public final class CpuStateCheck {

    private final KubeletRules rules;
    private final CpuSet reserved;
    private final CpuSet all;

    CpuStateCheck(KubeletRules rules, CpuSet reserved, CpuSet all) {
        this.rules = rules;
        this.reserved = reserved;
        this.all = rules.has(CpuOption.STRICT_CPU_RESERVATION) ? all.minus(reserved) : all;
    }

    /** What of a state this kubelet reads from the file; pods as a whole only where it manages them. */
    CpuState read(CpuState file) {
        CpuState read = rules.podLevel() == PodLevel.MANAGED ? file : file.ofContainers();
        return new CpuState(isFresh(file) ? all : file.shared(), read.byPod(), read.podCpus(), CpuSet.EMPTY);
    }

    private static boolean isFresh(CpuState file) {
        return file.shared().isEmpty() && file.byPod().isEmpty();
    }

    /** The kubelet's error; empty: it starts over this state. */
    Optional<String> objection(CpuState read) {
        boolean strict = rules.has(CpuOption.STRICT_CPU_RESERVATION);
        Optional<String> error =
                objection(reserved, strict, read.shared(), !read.byPod().isEmpty());
        return error.isPresent() || read.shared().isEmpty()
                ? error
                : overlap(read).or(() -> otherCpus(read));
    }

    /**
     * The error about the shared pool alone; empty: there is none.
     *
     * @param strict whether the shared pool is to be without the reserved CPUs
     * @param held whether a container has CPUs of its own
     */
    public static Optional<String> objection(CpuSet reserved, boolean strict, CpuSet shared, boolean held) {
        if (shared.isEmpty()) {
            return held ? Optional.of("default cpuset cannot be empty") : Optional.empty();
        }
        CpuSet both = shared.intersect(reserved);
        if (strict) {
            return both.isEmpty()
                    ? Optional.empty()
                    : Optional.of("some of strictly reserved cpus: \"%s\" are present in defaultCpuSet: \"%s\""
                            .formatted(both, shared));
        }
        return both.equals(reserved)
                ? Optional.empty()
                : Optional.of("not all reserved cpus: \"%s\" are present in defaultCpuSet: \"%s\""
                        .formatted(reserved, shared));
    }

    /** The kubelet names any of those containers, and the pod by its UID; here it is the first by name. */
    private static Optional<String> overlap(CpuState read) {
        return read.byPod().entrySet().stream()
                .flatMap(pod -> pod.getValue().entrySet().stream()
                        .filter(container ->
                                !container.getValue().intersect(read.shared()).isEmpty())
                        .map(container -> "pod: %s, container: %s cpuset: \"%s\" overlaps with default cpuset \"%s\""
                                .formatted(pod.getKey(), container.getKey(), container.getValue(), read.shared())))
                .findFirst();
    }

    private Optional<String> otherCpus(CpuState read) {
        CpuSet known = read.byPod().keySet().stream().map(read::heldBy).reduce(read.shared(), CpuSet::union);
        known = read.podCpus().values().stream().reduce(known, CpuSet::union);
        return otherCpus(all, known);
    }

    /**
     * The error about CPUs alone; empty: they are the same.
     *
     * @param available the online CPUs, with a strict reservation without the reserved ones
     * @param known the shared pool and all that is held
     */
    public static Optional<String> otherCpus(CpuSet available, CpuSet known) {
        return known.equals(available)
                ? Optional.empty()
                : Optional.of("current set of available CPUs \"%s\" doesn't match with CPUs in state \"%s\""
                        .formatted(available, known));
    }
}
