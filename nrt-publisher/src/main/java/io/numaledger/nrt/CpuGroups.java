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

    private CpuGroups() {}

    public static String write(SortedMap<Integer, CpuSet> groups) {
        StringJoiner text = new StringJoiner(";");
        groups.forEach((id, cpus) -> text.add(id + ":" + cpus));
        return text.toString();
    }

    /** @throws IllegalArgumentException naming the part that is not of this form */
    public static SortedMap<Integer, CpuSet> read(String text) {
        TreeMap<Integer, CpuSet> groups = new TreeMap<>();
        for (String part : text.isEmpty() ? new String[0] : text.split(";")) {
            int colon = part.indexOf(':');
            if (colon <= 0) {
                throw new IllegalArgumentException(
                        "not a group of CPUs: part='%s'; expected such as 0:0-3; the agent writes it again"
                                .formatted(part));
            }
            groups.put(Integer.valueOf(part.substring(0, colon)), CpuSet.parse(part.substring(colon + 1)));
        }
        return groups;
    }
}
