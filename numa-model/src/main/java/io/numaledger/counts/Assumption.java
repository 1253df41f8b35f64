package io.numaledger.counts;

/** What an answer from counts takes for granted. */
public enum Assumption {
    CPU_MANAGER_STATIC("the CPU Manager's policy is not known and taken as static, which refuses rather too much"),
    MEMORY_MANAGER_STATIC(
            "the Memory Manager's policy is not known and taken as Static, which refuses rather too much"),
    CAPACITY_IS_ALLOCATABLE(
            "capacity is not known and taken as allocatable: reserved CPUs and unhealthy devices are not seen"),
    NO_MEMORY_GROUPS(
            "no NUMA node is in a group of the Memory Manager, and none that has single-node memory is needed for wide memory"),
    DEVICES_ON_ONE_ZONE("every device is on exactly one NUMA node"),
    NO_POLICY_OPTIONS("no policy option of the CPU or Topology Manager is on"),
    SPLIT_OVER_ZONES("how much comes from which zone of a wide mask: whole zones first, then the lowest"),
    REUSE_FIRST("containers after an init container take over its CPUs and devices before others");

    private final String sentence;

    Assumption(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }
}
