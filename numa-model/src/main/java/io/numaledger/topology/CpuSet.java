package io.numaledger.topology;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * An immutable set of logical CPU ids (0 and up). Its text is the kernel's list format, such as {@code 0-3,8},
 * which is also what sysfs and the kubelet's state files hold.
 */
public final class CpuSet {

    public static final CpuSet EMPTY = new CpuSet(new BitSet());

    /**
     * How many CPUs a machine can have: eight times as many as Linux can be built for. A larger id is junk, and must not cost the memory
     * of a bit set that holds it.
     */
    public static final int MAX_CPUS = 1 << 16;

    private static final int MAX_ID = MAX_CPUS - 1;

    /** The most NUMA nodes, as many as an {@link AffinityMask} has. */
    private static final int MAX_NUMA_NODES = Long.SIZE;

    private static final int UNKNOWN = -1;

    private static final Pattern BETWEEN_PARTS = Pattern.compile("[,\\s]+");

    private final BitSet bits;

    private CpuSet(BitSet bits) {
        this.bits = bits;
    }

    public static CpuSet of(int... ids) {
        BitSet bits = new BitSet();
        for (int id : ids) {
            if (id < 0 || id > MAX_ID) {
                throw malformed(Integer.toString(id));
            }
            bits.set(id);
        }
        return new CpuSet(bits);
    }

    public static CpuSet of(Collection<Integer> ids) {
        return of(ids.stream().mapToInt(Integer::intValue).toArray());
    }

    public static CpuSet range(int first, int last) {
        BitSet bits = new BitSet();
        bits.set(first, checked(last, first + "-" + last) + 1);
        return new CpuSet(bits);
    }

    /**
     * Reads the kernel's list format where the highest possible id is not known, so without its words {@code N} and
     * {@code all}; else as {@link #parse(String, int)}.
     *
     * @throws IllegalArgumentException naming the part that is not of that format
     */
    public static CpuSet parse(String text) {
        return parse(text, UNKNOWN);
    }

    /**
     * Reads the kernel's list format in full (Documentation/admin-guide/kernel-parameters, "cpu lists"; lib/bitmap-str.c):
     * ids and ranges with commas or white space between them, {@code first-last:used/group}, which takes the first
     * {@code used} of each {@code group} ids of the range, {@code N} for the highest possible id, {@code all} for
     * {@code 0-N}, and {@code none}. Blank text is the empty set.
     *
     * <p>Anybody may have written the text. All parts together name at most {@value #MAX_CPUS} ids, also where they overlap: the time
     * that this takes is bounded by the length of the text and that number.
     *
     * @param last the highest possible id, for {@code N} and {@code all}
     * @throws IllegalArgumentException naming the part that is not of that format, or the number of ids
     */
    public static CpuSet parse(String text, int last) {
        BitSet bits = new BitSet();
        int ids = 0;
        for (String part : BETWEEN_PARTS.split(text.strip())) {
            if (!part.isEmpty() && !part.equals("none")) {
                IdRange range = IdRange.parse(part, last);
                ids += range.size();
                if (ids > MAX_CPUS) {
                    throw new IllegalArgumentException(
                            "not a CPU list: its parts name more than %d ids; expected each id once"
                                    .formatted(MAX_CPUS));
                }
                range.addTo(bits);
            }
        }
        return new CpuSet(bits);
    }

    /**
     * Reads a list of NUMA node ids in the same format, {@value #MAX_NUMA_NODES} at most.
     *
     * @throws IllegalArgumentException naming the part that is not of that format, or the number of ids
     */
    public static SortedSet<Integer> parseNumaNodes(String text) {
        CpuSet ids = parse(text);
        if (ids.size() > MAX_NUMA_NODES) {
            throw new IllegalArgumentException(
                    "too many NUMA nodes: count=%d; expected at most %d".formatted(ids.size(), MAX_NUMA_NODES));
        }
        return ids.ids().boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    /** One part of a list: the first {@code used} of each {@code group} ids from {@code first} to {@code last}. */
    private record IdRange(int first, int last, int used, int group) {

        static IdRange parse(String part, int lastPossible) {
            String[] rangeAndGroup = part.split(":", -1);
            String[] ends = (rangeAndGroup[0].equals("all") ? "0-N" : rangeAndGroup[0]).split("-", -1);
            if (rangeAndGroup.length > 2 || ends.length > 2) {
                throw malformed(part);
            }
            int first = end(ends[0], lastPossible, part);
            int last = end(ends[ends.length - 1], lastPossible, part);
            String[] usedOfGroup =
                    rangeAndGroup.length == 2 ? rangeAndGroup[1].split("/", -1) : new String[] {"1", "1"};
            if (usedOfGroup.length != 2 || (rangeAndGroup.length == 2 && ends.length != 2)) {
                throw malformed(part);
            }
            int used = number(usedOfGroup[0], part);
            int group = number(usedOfGroup[1], part);
            if (last < first || group == 0 || used == 0 || used > group) {
                throw malformed(part);
            }
            return new IdRange(first, last, used, group);
        }

        int size() {
            int span = last - first + 1;
            return span / group * used + Math.min(span % group, used);
        }

        void addTo(BitSet bits) {
            if (used == group) {
                bits.set(first, last + 1);
                return;
            }
            for (int start = first; start <= last; start += group) {
                bits.set(start, Math.min(start + used - 1, last) + 1);
            }
        }
    }

    private static int end(String text, int lastPossible, String part) {
        return text.equals("N") && lastPossible != UNKNOWN ? checked(lastPossible, part) : number(text, part);
    }

    /**
     * Reads the kernel's mask format, such as {@code 00000001,0000ffff}: hexadecimal words of 32 bits with commas between
     * them, the most significant first. Blank text is the empty set.
     *
     * @throws IllegalArgumentException naming the word that is not of that format
     */
    public static CpuSet parseMask(String text) {
        String stripped = text.strip();
        if (stripped.isEmpty()) {
            return EMPTY;
        }
        String[] words = stripped.split(",", -1);
        if (words.length > MAX_CPUS / Integer.SIZE) {
            throw new IllegalArgumentException(
                    "not a CPU mask: words=%d; expected at most %d".formatted(words.length, MAX_CPUS / Integer.SIZE));
        }
        BitSet bits = new BitSet();
        for (int i = 0; i < words.length; i++) {
            BitSet word = BitSet.valueOf(new long[] {word(words[i])});
            int shift = (words.length - 1 - i) * Integer.SIZE;
            word.stream().forEach(bit -> bits.set(shift + bit));
        }
        return new CpuSet(bits);
    }

    private static long word(String text) {
        if (!text.matches("[0-9a-fA-F]{1,8}")) {
            throw new IllegalArgumentException(
                    "not a CPU mask: word='%s'; expected words of 1 to 8 hexadecimal digits such as 00000001,0000ffff"
                            .formatted(shortened(text)));
        }
        return Long.parseLong(text, 16);
    }

    private static int number(String digits, String part) {
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9') || digits.length() > 9) {
            throw malformed(part);
        }
        return checked(Integer.parseInt(digits), part);
    }

    private static int checked(int id, String part) {
        if (id < 0 || id > MAX_ID) {
            throw malformed(part);
        }
        return id;
    }

    private static IllegalArgumentException malformed(String part) {
        return new IllegalArgumentException(
                "not a CPU list: part='%s'; expected ids and ranges such as 0-3,8 or 0-63:2/4"
                        .formatted(shortened(part)));
    }

    private static String shortened(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "…" : text;
    }

    public boolean contains(int id) {
        return id >= 0 && bits.get(id);
    }

    public boolean containsAll(CpuSet other) {
        return other.minus(this).isEmpty();
    }

    public int size() {
        return bits.cardinality();
    }

    public boolean isEmpty() {
        return bits.isEmpty();
    }

    public CpuSet union(CpuSet other) {
        if (isEmpty() || other.isEmpty()) {
            return isEmpty() ? other : this;
        }
        BitSet result = copy();
        result.or(other.bits);
        return new CpuSet(result);
    }

    public CpuSet intersect(CpuSet other) {
        BitSet result = copy();
        result.and(other.bits);
        return new CpuSet(result);
    }

    public CpuSet minus(CpuSet other) {
        BitSet result = copy();
        result.andNot(other.bits);
        return new CpuSet(result);
    }

    private BitSet copy() {
        return (BitSet) bits.clone();
    }

    /** The ids, ascending. */
    public IntStream ids() {
        return bits.stream();
    }

    public int[] toArray() {
        return bits.stream().toArray();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CpuSet that && bits.equals(that.bits);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bits.toLongArray());
    }

    /** The kernel's list format, shortest form: {@code 0-3,8}; the empty set is the empty text. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(",");
        for (int first = bits.nextSetBit(0); first >= 0; ) {
            int last = bits.nextClearBit(first) - 1;
            text.add(first == last ? Integer.toString(first) : first + "-" + last);
            first = bits.nextSetBit(last + 1);
        }
        return text.toString();
    }
}
