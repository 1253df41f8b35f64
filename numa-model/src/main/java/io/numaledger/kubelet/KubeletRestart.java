package io.numaledger.kubelet;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.pod.PodRequest;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A kubelet that starts over the state files of the one before it on this node, which may have had another configuration. All
 * allocations stay, also those that the new kubelet would not make. Nothing is checked of devices (cm/devicemanager/manager.go,
 * readCheckpoint). The kubelet then {@link KubeletModel#readmit looks at its pods} again.
 */
public final class KubeletRestart {

    private KubeletRestart() {}

    /** A file in which a kubelet keeps what it has given to containers. */
    public enum StateFile {
        CPUS("cpu_manager_state"),
        MEMORY("memory_manager_state");

        private final String file;

        StateFile(String file) {
            this.file = file;
        }

        /** Its name in the kubelet's directory. */
        @Override
        public String toString() {
            return file;
        }
    }

    /** What a kubelet reads of the state files that another version has written. */
    public static NodeState read(NodeState written, KubeletVersion by, KubeletVersion kubelet) {
        return by.writesPodsApart() && !kubelet.writesPodsApart()
                ? new NodeState(
                        written.cpus().map(CpuState::ofContainers),
                        written.memory().map(MemoryState::ofContainers),
                        written.devices(),
                        written.stale())
                : written;
    }

    /** The fewest state files without which the kubelet starts; none if it starts over all of them. */
    public static Set<StateFile> obstacles(KubeletModel kubelet, NodeState files) {
        return Stream.of(EnumSet.noneOf(StateFile.class), EnumSet.of(StateFile.CPUS), EnumSet.of(StateFile.MEMORY))
                .filter(deleted ->
                        objection(kubelet, without(kubelet, files, deleted)).isEmpty())
                .findFirst()
                .orElseGet(() -> EnumSet.allOf(StateFile.class));
    }

    /** The state that the kubelet finds after some state files were deleted. */
    public static NodeState without(KubeletModel kubelet, NodeState files, Set<StateFile> deleted) {
        NodeState empty = kubelet.empty();
        return new NodeState(
                deleted.contains(StateFile.CPUS) ? empty.cpus() : files.cpus(),
                deleted.contains(StateFile.MEMORY) ? empty.memory() : files.memory(),
                files.devices(),
                files.stale());
    }

    /**
     * The state after the start.
     *
     * @param files what the kubelet before remembered
     * @throws StartupRefusedException with the kubelet's message, when it does not start over this state
     */
    public static NodeState over(KubeletModel kubelet, NodeState files) {
        checkCpuPolicy(files.cpus().isPresent(), kubelet.rules().cpuManagerOn());
        Optional<CpuState> cpus = files.cpus()
                .map(file -> kubelet.cpus().map(now -> now.startOver(file)).orElse(file));
        checkMemoryPolicy(files.memory().isPresent(), kubelet.rules().memoryManagerOn());
        Optional<MemoryState> memory = files.memory()
                .map(file -> kubelet.memory().map(now -> now.startOver(file)).orElse(file));
        DeviceState devices = kubelet.devices()
                .map(now -> now.endOfAdmission(files.devices()))
                .orElse(files.devices());
        return new NodeState(cpus, memory, devices, files.stale());
    }

    /**
     * What becomes of the pods that ran before.
     *
     * @param state after the kubelet has looked at all of them; an ended pod holds nothing
     * @param ended by name: the decision about each pod that does not run on
     */
    public record Outcome(NodeState state, SortedMap<String, Admission> ended) {}

    /**
     * The state after the start, and what becomes of running pods.
     *
     * @param running in the order in which the kubelet looks at them
     * @throws StartupRefusedException with the kubelet's message, when it does not start over this state
     */
    public static Outcome over(KubeletModel kubelet, NodeState files, List<PodRequest> running) {
        NodeState state = over(kubelet, files);
        SortedMap<String, Admission> ended = new TreeMap<>();
        for (PodRequest pod : running) {
            Decision decision = kubelet.readmit(state, pod);
            state = decision.state();
            if (!decision.admission().isAdmitted()) {
                ended.put(pod.name(), decision.admission());
            }
        }
        return new Outcome(state, ended);
    }

    /** Why this kubelet would not start over this state, in its own words; empty: it would. */
    public static Optional<String> objection(KubeletModel kubelet, NodeState files) {
        try {
            over(kubelet, files);
            return Optional.empty();
        } catch (StartupRefusedException refusal) {
            return Optional.of(String.valueOf(refusal.getMessage()));
        }
    }

    /** cm/cpumanager/state/state_checkpoint.go, restoreState. */
    private static void checkCpuPolicy(boolean inFile, boolean configured) {
        if (inFile != configured) {
            throw otherPolicy(
                    "CPU",
                    "configured policy \"%s\" differs from state checkpoint policy \"%s\""
                            .formatted(policy(configured), policy(inFile)));
        }
    }

    private static CpuPolicy policy(boolean on) {
        return on ? CpuPolicy.STATIC : CpuPolicy.NONE;
    }

    /** cm/memorymanager/state/state_checkpoint.go, restoreState. */
    private static void checkMemoryPolicy(boolean inFile, boolean configured) {
        if (inFile != configured) {
            throw otherPolicy(
                    "memory",
                    "[memorymanager] configured policy \"%s\" differs from state checkpoint policy \"%s\""
                            .formatted(memoryPolicy(configured), memoryPolicy(inFile)));
        }
    }

    private static MemoryPolicy memoryPolicy(boolean on) {
        return on ? MemoryPolicy.STATIC : MemoryPolicy.NONE;
    }

    private static StartupRefusedException otherPolicy(String resource, String error) {
        return new StartupRefusedException(
                "could not restore state from checkpoint: %s, please drain this node and delete the %s manager checkpoint file \"/var/lib/kubelet/%s_manager_state\" before restarting Kubelet"
                        .formatted(error, resource, resource.toLowerCase(Locale.ROOT)));
    }
}
