package io.numaledger.agent.doctor;

import io.numaledger.agent.api.NodeDevices;
import io.numaledger.agent.kubelet.StartSettings;
import io.numaledger.agent.statefiles.StartState;
import io.numaledger.cli.Finding;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.StartupChecks;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.cpu.CpuStateCheck;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.ZoneName;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Whether the kubelet would start again over its own state, as far as that can be said without a model of the machine: {@link CpuStateCheck}
 * decides on the CPUs; policies and reserved memory must be equal (cm/cpumanager and cm/memorymanager: policy_static.go, validateState,
 * and state/state_checkpoint.go, restoreState). {@code KubeletRestart} of the kubelet model has all the rules.
 */
final class RestartFindings {

    static final String ABOUT = "kubelet start";

    private static final String STATIC = "static";
    private static final String STATIC_MEMORY = "Static";
    private static final String CPUS = "cpu_manager_state";
    private static final String MEMORY = "memory_manager_state";
    private static final String OTHER_POLICY = "differs from state checkpoint policy";
    private static final String OTHER_MEMORY = "the expected machine state is different from the real one";
    private static final String NOT_SHARED = "not all reserved cpus are present in defaultCpuSet";
    private static final String OTHER_CPUS = "current set of available CPUs doesn't match with CPUs in state";
    private static final String SHARED = "some of strictly reserved cpus are present in defaultCpuSet";

    private final StartSettings next;
    private final List<Finding> found = new ArrayList<>();

    private RestartFindings(StartSettings next) {
        this.next = next;
    }

    /**
     * What is found where the kubelet's state is known.
     *
     * @param next with which it would start
     * @param online the CPUs that are online now; empty: not known
     */
    static List<Finding> overState(StartSettings next, StartState state, CpuSet online) {
        RestartFindings findings = new RestartFindings(next);
        findings.reservation(online);
        findings.policies(text(state.cpuPolicy()), text(state.memoryPolicy()));
        findings.memory(state.memoryPolicy(), state.reservedMemory());
        if (state.memoryPolicy().equals(STATIC_MEMORY)) {
            findings.overlaps(state.memoryZones());
        }
        if (state.cpuPolicy().equals(STATIC) && next.cpuPolicy().orElse("").equals(STATIC)) {
            findings.cpus(state, online);
        }
        return findings.orOk("the kubelet would start again over its state");
    }

    /**
     * What is found where the kubelet's state is not known.
     *
     * @param running its configuration now
     * @param held the CPUs that containers hold
     * @param online the CPUs that are online now; empty: not known
     */
    static List<Finding> afterChange(StartSettings next, StartSettings running, CpuSet held, CpuSet online) {
        RestartFindings findings = new RestartFindings(next);
        findings.reservation(online);
        findings.policies(running.cpuPolicy(), running.memoryPolicy());
        findings.memory(
                running.memoryPolicy().orElse(""), running.reservedMemory().orElseGet(TreeMap::new));
        if (running.cpuPolicy().orElse("").equals(STATIC)) {
            findings.cpus(running, held);
            if (!online.isEmpty() && !online.containsAll(held)) {
                findings.fail(
                        "pods hold the CPUs %s, which are offline".formatted(held.minus(online)),
                        OTHER_CPUS,
                        "bring them online again");
            }
        }
        return findings.orOk("the configuration file changes nothing that the kubelet's state depends on");
    }

    /**
     * Devices that pods hold and whose plugin lists others, but not these: a kubelet that aligns them panics when it starts
     * (cm/devicemanager, topology_hints.go, generateDeviceTopologyHints, 1.34 to 1.38). It aligns a resource of which any device has NUMA
     * nodes, with every policy but none.
     *
     * @param healthy the devices that the kubelet may give to pods
     * @param node tells how many more are listed and unhealthy; which ones is not told
     */
    static List<Finding> unlistedDevices(
            Collection<PodAllocation> pods,
            Collection<DeviceAllocation> healthy,
            NodeDevices node,
            Optional<TopologyPolicyName> policy) {
        if (policy.equals(Optional.of(TopologyPolicyName.NONE)) || !panics(node.kubelet())) {
            return List.of();
        }
        Set<String> known = healthy.stream().map(RestartFindings::name).collect(Collectors.toSet());
        SortedMap<String, SortedSet<String>> missing = new TreeMap<>();
        SortedMap<String, SortedSet<String>> holders = new TreeMap<>();
        Set<String> aligned = healthy.stream()
                .filter(device -> !device.numaNodes().isEmpty())
                .map(DeviceAllocation::resource)
                .collect(Collectors.toCollection(TreeSet::new));
        for (PodAllocation pod : pods) {
            pod.containers().stream()
                    .flatMap(container -> container.devices().stream())
                    .filter(device -> !known.contains(name(device)))
                    .forEach(device -> {
                        missing.computeIfAbsent(device.resource(), any -> new TreeSet<>())
                                .add(device.deviceId());
                        holders.computeIfAbsent(device.resource(), any -> new TreeSet<>())
                                .add(pod.key());
                        if (!device.numaNodes().isEmpty()) {
                            aligned.add(device.resource());
                        }
                    });
        }
        return missing.entrySet().stream()
                .filter(each -> aligned.contains(each.getKey())
                        && node.capacity().getOrDefault(each.getKey(), 0L) > 0
                        && each.getValue().size() > node.unhealthy(each.getKey()))
                .map(each -> Finding.fail(
                        ABOUT,
                        "the kubelet will not start again until the plugin of %1$s lists all of %2$s, or these pods have ended: %3$s; a kubelet that starts while a pod holds a device that its plugin does not list panics"
                                .formatted(
                                        each.getKey(),
                                        String.join(", ", each.getValue()),
                                        String.join(", ", holders.get(each.getKey())))))
                .toList();
    }

    private static boolean panics(String kubelet) {
        try {
            return kubelet.isEmpty() || KubeletVersion.parse(kubelet).panicsOverHeldDevicesThatAreNotListed();
        } catch (IllegalArgumentException unmodelled) {
            return false; // older than all that are modelled
        }
    }

    private static String name(DeviceAllocation device) {
        return device.resource() + "/" + device.deviceId();
    }

    private static Optional<String> text(String text) {
        return Optional.of(text).filter(any -> !any.isEmpty());
    }

    private List<Finding> orOk(String fine) {
        return found.isEmpty() ? List.of(Finding.ok(ABOUT, fine)) : found;
    }

    private void policies(Optional<String> cpus, Optional<String> memory) {
        changed("cpuManagerPolicy", cpus, next.cpuPolicy(), OTHER_POLICY, CPUS);
        changed("memoryManagerPolicy", memory, next.memoryPolicy(), OTHER_POLICY, MEMORY);
    }

    private void memory(String policy, SortedMap<String, Long> reserved) {
        if (policy.equals(STATIC_MEMORY) && next.memoryPolicy().orElse(policy).equals(policy)) {
            changed("reservedMemory", Optional.of(reserved), next.reservedMemory(), OTHER_MEMORY, MEMORY);
        }
    }

    /**
     * Which zones belong together is compared in the order of a Go map: where a zone is part of several groups, any of them may count
     * (cm/memorymanager/policy_static.go, validateState).
     */
    private void overlaps(Set<SortedSet<Integer>> groups) {
        SortedSet<String> overlapping = groups.stream()
                .filter(group ->
                        groups.stream().anyMatch(other -> !other.equals(group) && !Collections.disjoint(other, group)))
                .map(AffinityMask::of)
                .map(mask -> ZoneName.of(mask).collect(Collectors.joining(" and ")))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!overlapping.isEmpty()) {
            found.add(Finding.warn(
                    ABOUT,
                    "containers hold memory of %s, which overlap: it is chance whether a kubelet that restarts now ends with '%s'; if it does, start it again, or drain the node and delete %s in the kubelet's directory"
                            .formatted(String.join(", of ", overlapping), OTHER_MEMORY, MEMORY)));
        }
    }

    /** Checks the reserved CPUs, before all other checks. */
    private void reservation(CpuSet online) {
        if (!online.isEmpty()) {
            StartupChecks.offlineReservation(next.reservedCpus().orElse(CpuSet.EMPTY), online)
                    .ifPresent(error -> fail(
                            "CPUs of reservedSystemCPUs are offline",
                            error,
                            "bring them online again, or change reservedSystemCPUs"));
        }
    }

    private void cpus(StartState state, CpuSet online) {
        boolean strict = next.strictReservation().orElse(false);
        CpuSet reserved = next.reservedCpus().orElse(CpuSet.EMPTY);
        String what = state.sharedCpus().isEmpty()
                ? "pods hold all CPUs"
                : "reservedSystemCPUs=%s%s does not suit the shared pool"
                        .formatted(reserved, strict ? ", strict," : "");
        Optional<String> objection = CpuStateCheck.objection(
                reserved, strict, state.sharedCpus(), !state.heldCpus().isEmpty());
        objection.ifPresent(error -> add(what, error, CPUS));
        if (objection.isEmpty() && !state.sharedCpus().isEmpty() && !online.isEmpty()) {
            otherCpus(state, strict ? online.minus(reserved) : online);
        }
    }

    private void otherCpus(StartState state, CpuSet available) {
        CpuSet known = state.sharedCpus().union(state.heldCpus());
        String what = available.containsAll(known)
                ? "its state lacks the CPUs %s: they came online after its start, or it has lost them with a pod"
                        .formatted(available.minus(known))
                : "the CPUs that are online are not those with which the kubelet started";
        CpuStateCheck.otherCpus(available, known)
                .ifPresent(error -> fail(
                        what,
                        error,
                        "bring them back to what they were, or drain the node and delete %s in the kubelet's directory before you restart it"
                                .formatted(CPUS)));
    }

    private void cpus(StartSettings running, CpuSet held) {
        boolean was = running.strictReservation().orElse(false);
        boolean strict = next.strictReservation().orElse(was);
        if (strict != was) {
            changed(
                    "strict-cpu-reservation",
                    Optional.of(was),
                    Optional.of(strict),
                    strict ? SHARED : NOT_SHARED,
                    CPUS);
        } else if (strict) {
            changed("reservedSystemCPUs", running.reservedCpus(), next.reservedCpus(), SHARED, CPUS);
        } else {
            CpuSet reserved = next.reservedCpus().orElse(CpuSet.EMPTY);
            if (!reserved.intersect(held).isEmpty()) {
                add(
                        "pods hold the CPUs %s of reservedSystemCPUs=%s".formatted(reserved.intersect(held), reserved),
                        NOT_SHARED,
                        CPUS);
            }
        }
    }

    private <T> void changed(String field, Optional<T> before, Optional<T> after, String error, String file) {
        if (before.isPresent() && after.isPresent() && !before.equals(after)) {
            add("%s is %s and was %s".formatted(field, after.get(), before.get()), error, file);
        }
    }

    private void fail(String what, String error, String todo) {
        found.add(
                Finding.fail(ABOUT, "%s: a kubelet that restarts now ends with '%s'; %s".formatted(what, error, todo)));
    }

    private void add(String what, String error, String file) {
        found.add(Finding.warn(
                ABOUT,
                "%s: a kubelet that restarts now ends with '%s'; undo the change, or drain the node and delete %s in the kubelet's directory before you restart it"
                        .formatted(what, error, file)));
    }
}
