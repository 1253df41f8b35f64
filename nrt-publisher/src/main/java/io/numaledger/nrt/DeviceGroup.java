package io.numaledger.nrt;

import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Devices of one resource that the device plugin reports for the same NUMA nodes. As text
 * {@code example.com/nic@0-1=2/3}: two healthy ones of three, each on the NUMA nodes 0 and 1. With {@code !} instead of NUMA nodes:
 * the plugin reports only NUMA nodes that the machine does not have, such as -1, and the kubelet finds no hint for them.
 *
 * @param numaNodes none: no topology, or {@code impossible}
 * @param impossible only NUMA nodes that the machine does not have
 * @param allocatable the healthy ones, held or not
 * @param capacity all that are known: unhealthy ones as far as they are held
 */
public record DeviceGroup(
        String resource, SortedSet<Integer> numaNodes, boolean impossible, int allocatable, int capacity) {

    private static final Pattern FORM = Pattern.compile("([^@=;]+)@([0-9,-]*|!)=(\\d{1,9})/(\\d{1,9})");
    private static final String IMPOSSIBLE = "!";

    /** Many more than a machine has. */
    private static final int MAX_GROUPS = 4096;

    private static final int SHOWN = 40;

    public DeviceGroup {
        // A plugin can report a NUMA node such as -1, which no machine has.
        numaNodes = Collections.unmodifiableSortedSet(new TreeSet<>(numaNodes.subSet(0, CpuSet.MAX_CPUS)));
    }

    public DeviceGroup(String resource, SortedSet<Integer> numaNodes, int allocatable, int capacity) {
        this(resource, numaNodes, false, allocatable, capacity);
    }

    /** A group on NUMA nodes that the machine does not have. */
    public static DeviceGroup impossible(String resource, int allocatable, int capacity) {
        return new DeviceGroup(resource, Collections.emptySortedSet(), true, allocatable, capacity);
    }

    /** The groups that a topology names. */
    public static List<DeviceGroup> of(NodeTopology topology) {
        return read(topology.attributes().getOrDefault(TopologyAttributes.DEVICES_BEYOND_ONE_ZONE, ""));
    }

    /** Together with another of the same place. */
    DeviceGroup plus(DeviceGroup other) {
        return new DeviceGroup(
                resource, numaNodes, impossible, allocatable + other.allocatable, capacity + other.capacity);
    }

    public static String write(Collection<DeviceGroup> groups) {
        StringJoiner text = new StringJoiner(";");
        for (DeviceGroup group : groups) {
            String place =
                    group.impossible ? IMPOSSIBLE : CpuSet.of(group.numaNodes).toString();
            text.add("%s@%s=%d/%d".formatted(group.resource, place, group.allocatable, group.capacity));
        }
        return text.toString();
    }

    /** @throws IllegalArgumentException naming the part that is not of this form */
    public static List<DeviceGroup> read(String text) {
        List<DeviceGroup> groups = new ArrayList<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(";")) {
            Matcher form = FORM.matcher(part);
            if (!form.matches()) {
                throw new IllegalArgumentException(
                        "not a group of devices: part='%s'; expected such as example.com/nic@0-1=2/2; the agent writes it again"
                                .formatted(part.length() > SHOWN ? part.substring(0, SHOWN) + "…" : part));
            }
            int allocatable = Integer.parseInt(form.group(3));
            int capacity = Integer.parseInt(form.group(4));
            groups.add(
                    form.group(2).equals(IMPOSSIBLE)
                            ? impossible(form.group(1), allocatable, capacity)
                            : new DeviceGroup(
                                    form.group(1), CpuSet.parseNumaNodes(form.group(2)), allocatable, capacity));
            if (groups.size() > MAX_GROUPS) {
                throw new IllegalArgumentException("more than %d groups of devices".formatted(MAX_GROUPS));
            }
        }
        return groups;
    }
}
