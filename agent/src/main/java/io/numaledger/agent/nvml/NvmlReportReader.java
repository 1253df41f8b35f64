package io.numaledger.agent.nvml;

import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the text of a report line by line. The driver's library may write to the same output: lines outside of the report, and lines that
 * are no part of one, are the caller's. What is kept is bounded.
 */
final class NvmlReportReader {

    private static final int MAX_WARNINGS = 512;

    private final List<NvmlGpu> gpus = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private Optional<Fields> begin = Optional.empty();
    private Optional<Fields> gpu = Optional.empty();
    private List<NvLink> links = new ArrayList<>();
    private List<MigInstance> mig = new ArrayList<>();
    private SortedMap<Integer, NvmlGpu.Pair> pairs = new TreeMap<>();
    private boolean ended;

    /**
     * Takes the next line.
     *
     * @return false if the line is no part of a report
     * @throws NvmlException with the sentence of a failure
     * @throws IllegalArgumentException if a field cannot be read, or the report is larger than any
     */
    boolean read(String line) {
        Fields fields = new Fields(List.of(line.split("\t", -1)));
        String word = fields.values().get(0);
        if (word.equals(NvmlReportText.FAILED)) {
            throw new NvmlException(fields.required(1));
        } else if (word.equals(NvmlReportText.BEGIN)) {
            begin = Optional.of(fields);
            return true;
        }
        return begin.isPresent() && read(word, fields);
    }

    private boolean read(String word, Fields fields) {
        switch (word) {
            case "gpu" -> {
                endGpu();
                atMost(NvmlSession.MAX_GPUS, word, gpus.size() + 1);
                gpu = Optional.of(fields);
            }
            case "link" -> {
                links.add(link(fields));
                atMost(NvLinkReader.MAX_LINKS, word, links.size());
            }
            case "mig" -> {
                mig.add(new MigInstance(fields.text(1), fields.number(2), fields.number(3), fields.large(4)));
                atMost(MigReader.MAX_SLOTS, word, mig.size());
            }
            case "pair" -> {
                pairs.put(
                        Integer.parseInt(fields.required(1)),
                        new NvmlGpu.Pair(fields.text(2).map(PcieLevel::valueOf), fields.number(3)));
                atMost(NvmlSession.MAX_GPUS, word, pairs.size());
            }
            case "warning" -> {
                warnings.add(fields.required(1));
                atMost(MAX_WARNINGS, word, warnings.size());
            }
            case NvmlReportText.END -> {
                endGpu();
                ended = true;
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void atMost(int limit, String word, int read) {
        if (read > limit) {
            throw new IllegalArgumentException("more than %d lines of %s".formatted(limit, word));
        }
    }

    private static NvLink link(Fields fields) {
        return new NvLink(
                Integer.parseInt(fields.required(1)),
                NvLink.State.valueOf(fields.required(2)),
                fields.text(3),
                fields.text(4).map(PciAddress::parse),
                NvLink.RemoteType.valueOf(fields.required(5)));
    }

    private void endGpu() {
        gpu.ifPresent(fields -> gpus.add(gpu(fields)));
        gpu = Optional.empty();
        links = new ArrayList<>();
        mig = new ArrayList<>();
        pairs = new TreeMap<>();
    }

    private NvmlGpu gpu(Fields fields) {
        return new NvmlGpu(
                Integer.parseInt(fields.required(1)),
                new NvmlGpu.Identity(
                        fields.text(2),
                        fields.text(3),
                        fields.text(4).map(PciAddress::parse),
                        fields.number(5),
                        fields.number(6)),
                fields.text(7).map(NvmlReturn::valueOf),
                fields.text(12).map(size -> mig),
                links,
                fields.number(8),
                fields.number(9),
                fields.text(10)
                        .map(progress -> new FabricState(FabricState.Progress.valueOf(progress), fields.text(11))),
                pairs);
    }

    /** Whether the report is whole. */
    boolean ended() {
        return ended;
    }

    /** The whole report. */
    NvmlReport report() {
        return new NvmlReport(begin.flatMap(fields -> fields.text(1)), gpus, warnings);
    }

    /** The fields of a line; an empty one is absent. */
    private record Fields(List<String> values) {

        Optional<String> text(int at) {
            if (at >= values.size()) {
                throw new IllegalArgumentException("the line of %s has too few fields".formatted(values.get(0)));
            }
            return Optional.of(values.get(at)).filter(value -> !value.isEmpty());
        }

        String required(int at) {
            return text(at).orElseThrow(() ->
                    new IllegalArgumentException("the line of %s lacks field %d".formatted(values.get(0), at)));
        }

        OptionalInt number(int at) {
            return text(at).map(value -> OptionalInt.of(Integer.parseInt(value)))
                    .orElseGet(OptionalInt::empty);
        }

        OptionalLong large(int at) {
            return text(at).map(value -> OptionalLong.of(Long.parseLong(value))).orElseGet(OptionalLong::empty);
        }
    }
}
