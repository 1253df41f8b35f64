package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.regex.Pattern;

/** Parsers of the texts of sysfs and procfs. Each throws IllegalArgumentException with the reason for an invalid text. */
final class SysfsText {

    /** The most that Linux can be built for on any architecture (CONFIG_NR_CPUS). Each costs several files to be read. */
    static final int MAX_CPUS = 8192;

    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern COUNT = Pattern.compile("[0-9]{1,18}");
    private static final Pattern ID = Pattern.compile("-?[0-9]{1,9}");
    private static final Pattern DISTANCE = Pattern.compile("[0-9]{1,5}");

    private SysfsText() {}

    /** CPUs of this machine, from a list or mask. */
    static CpuSet cpus(CpuSet listed) {
        if (listed.size() > MAX_CPUS) {
            throw new IllegalArgumentException(
                    "more CPUs than Linux supports: count=%d; expected at most %d".formatted(listed.size(), MAX_CPUS));
        }
        return listed;
    }

    /** A number of 0 or more, as {@code nr_hugepages} holds it. */
    static long count(String text) {
        if (!COUNT.matcher(text).matches()) {
            throw new IllegalArgumentException("not a number of 0 or more: text='%s'".formatted(shortened(text)));
        }
        return Long.parseLong(text);
    }

    /** An id of {@code cpuN/topology}; -1 is what architectures without a value write. */
    static int id(String text) {
        if (!ID.matcher(text).matches()) {
            throw new IllegalArgumentException("not an id: text='%s'".formatted(shortened(text)));
        }
        return Integer.parseInt(text);
    }

    /**
     * The bytes of {@code MemTotal}, from {@code /proc/meminfo} or a node's {@code meminfo}, whose lines begin with
     * {@code Node 0}. The kernel's kB are KiB.
     */
    static long memTotalBytes(String meminfo) {
        String line = meminfo.lines()
                .filter(each -> each.contains("MemTotal:"))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no line with MemTotal"));
        String[] words = line.substring(line.indexOf("MemTotal:")).strip().split("\\s+");
        if (words.length != 3 || !words[1].matches("[0-9]{1,15}") || !words[2].equals("kB")) {
            throw new IllegalArgumentException(
                    "not of the form 'MemTotal: 1024 kB': line='%s'".formatted(shortened(line.strip())));
        }
        return Math.multiplyExact(Long.parseLong(words[1]), 1024L);
    }

    /** The numbers of a {@code distance} file, in file order; none for an empty text. */
    static List<Integer> distances(String text) {
        return BLANKS.splitAsStream(text.strip())
                .filter(word -> !word.isEmpty())
                .map(SysfsText::distance)
                .toList();
    }

    private static int distance(String word) {
        if (!DISTANCE.matcher(word).matches()) {
            throw new IllegalArgumentException("not a distance: word='%s'".formatted(shortened(word)));
        }
        return Integer.parseInt(word);
    }

    /** The page size in bytes that a directory name such as {@code hugepages-2048kB} tells. */
    static long hugepageBytes(String directoryName) {
        if (!directoryName.matches("hugepages-[1-9][0-9]{0,14}kB")) {
            throw new IllegalArgumentException(
                    "not of the form hugepages-2048kB: name='%s'".formatted(shortened(directoryName)));
        }
        return Long.parseLong(directoryName, "hugepages-".length(), directoryName.length() - 2, 10) * 1024L;
    }

    private static String shortened(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "…" : text;
    }

    /** Such as {@code 0,8,250}, for warnings. */
    static String joined(List<Integer> ids) {
        return String.join(",", ids.stream().map(String::valueOf).toList());
    }
}
