package io.numaledger.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The NUMA nodes of a machine's PCI functions, as runs of addresses. The functions below a host bridge have one NUMA node, so that thousands
 * of virtual functions are one run. An address within a run that no function had when it was read has the run's NUMA node, too.
 */
public record PciNumaNodes(List<Run> runs) {

    public static final PciNumaNodes NONE = new PciNumaNodes(List.of());

    /** A machine has as many as host bridges, about. */
    static final int MAX_RUNS = 500;

    /** Linux has no more: MAX_NUMNODES. */
    private static final int MAX_ID = 1023;

    private static final int MAX_CHARACTERS = MAX_RUNS * 48;

    private static final Pattern RUN = Pattern.compile("([^-=]+)(?:-([^=]+))?=([0-9]{1,4})");

    /** Addresses from the first to the last one. */
    public record Run(PciAddress first, PciAddress last, int numaNode) {

        public static Run of(PciAddress address, int numaNode) {
            return new Run(address, address, numaNode);
        }

        private boolean contains(PciAddress address) {
            return first.compareTo(address) <= 0 && last.compareTo(address) >= 0;
        }

        /** Such as {@code 0000:3a:00.0-0000:5d:11.7=0}. */
        @Override
        public String toString() {
            return first + (first.equals(last) ? "" : "-" + last) + "=" + numaNode;
        }
    }

    public PciNumaNodes {
        runs = List.copyOf(runs);
    }

    /** @param functions all of the machine; one whose NUMA node is not known ends a run. Runs beyond the first 500 are left out */
    public static PciNumaNodes of(SortedMap<PciAddress, OptionalInt> functions) {
        List<Run> runs = new ArrayList<>();
        OptionalInt before = OptionalInt.empty();
        for (Map.Entry<PciAddress, OptionalInt> each : functions.entrySet()) {
            OptionalInt numaNode = each.getValue();
            if (numaNode.isPresent()) {
                boolean goesOn = numaNode.equals(before);
                PciAddress first = goesOn ? runs.remove(runs.size() - 1).first() : each.getKey();
                runs.add(new Run(first, each.getKey(), numaNode.getAsInt()));
            }
            before = numaNode;
        }
        return new PciNumaNodes(runs.subList(0, Math.min(runs.size(), MAX_RUNS)));
    }

    /**
     * Reads the text of {@link #toString}.
     *
     * @throws IllegalArgumentException for any other text, and one of too many runs
     */
    public static PciNumaNodes parse(String text) {
        List<Run> runs = new ArrayList<>();
        for (String part : text.length() > MAX_CHARACTERS ? new String[] {""} : text.split(",", MAX_RUNS)) {
            Matcher run = RUN.matcher(part);
            if (!run.matches() || Integer.parseInt(run.group(3)) > MAX_ID) {
                throw new IllegalArgumentException(
                        "these are no NUMA nodes of PCI functions: expected up to %d such as 0000:3a:00.0-0000:5d:11.7=0; the agent of that node writes them anew"
                                .formatted(MAX_RUNS));
            }
            PciAddress first = PciAddress.parse(run.group(1));
            runs.add(new Run(
                    first,
                    Optional.ofNullable(run.group(2)).map(PciAddress::parse).orElse(first),
                    Integer.parseInt(run.group(3))));
        }
        return new PciNumaNodes(runs);
    }

    /** The NUMA node of a PCI function; absent where it is not known. */
    public Optional<Integer> of(PciAddress address) {
        return runs.stream()
                .filter(run -> run.contains(address))
                .map(Run::numaNode)
                .findFirst();
    }

    public boolean isEmpty() {
        return runs.isEmpty();
    }

    /** One line, equal for equal values. */
    @Override
    public String toString() {
        return runs.stream().map(Run::toString).collect(Collectors.joining(","));
    }
}
