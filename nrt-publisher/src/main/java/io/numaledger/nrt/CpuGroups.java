package io.numaledger.nrt;

import io.numaledger.topology.CpuSet;

import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * CPUs that belong together, as the text of a zone attribute: {@code 0:0-3,8;1:4-7} is group 0 with the CPUs 0–3 and 8, and
 * group 1 with the CPUs 4–7.
 */
public final class CpuGroups {

    /** The most groups, as many as Linux knows CPUs. */
    private static final int MAX_GROUPS = 1 << 13;

    private static final int SHOWN = 40;

    private CpuGroups() {}

    public static String write(SortedMap<Integer, CpuSet> groups) {
        StringJoiner text = new StringJoiner(";");
        groups.forEach((id, cpus) -> text.add(id + ":" + cpus));
        return text.toString();
    }

    /** @throws IllegalArgumentException naming the part that is not of this form, or if all groups together have too many CPUs */
    public static SortedMap<Integer, CpuSet> read(String text) {
        TreeMap<Integer, CpuSet> groups = new TreeMap<>();
        int cpus = 0;
        for (String part : text.isEmpty() ? new String[0] : text.split(";")) {
            int colon = part.indexOf(':');
            if (colon <= 0) {
                throw new IllegalArgumentException(
                        "not a group of CPUs: part='%s'; expected such as 0:0-3; the agent writes it again"
                                .formatted(part.length() > SHOWN ? part.substring(0, SHOWN) + "…" : part));
            }
            CpuSet group = CpuSet.parse(part.substring(colon + 1));
            cpus += group.size();
            groups.put(Integer.valueOf(part.substring(0, colon)), group);
            if (cpus > CpuSet.MAX_CPUS || groups.size() > MAX_GROUPS) {
                throw new IllegalArgumentException(
                        "too many groups of CPUs: groups=%d cpus=%d; expected at most %d and %d"
                                .formatted(groups.size(), cpus, MAX_GROUPS, CpuSet.MAX_CPUS));
            }
        }
        return groups;
    }
}
