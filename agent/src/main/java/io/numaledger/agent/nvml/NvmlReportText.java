package io.numaledger.agent.nvml;

import io.numaledger.text.ControlCharacters;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A report as text, for {@link NvmlReportReader}: a line for each fact, with fields between tabs, and an empty field for an absent
 * value. The lines {@code link}, {@code mig} and {@code pair} belong to the {@code gpu} before them.
 */
final class NvmlReportText {

    static final String BEGIN = "nvml-report";
    static final String FAILED = "nvml-failed";
    static final String END = "nvml-end";

    private static final int MAX_TEXT = 1024;

    private final StringBuilder text = new StringBuilder("\n"); // ends a line that the driver's library has begun

    private NvmlReportText() {}

    static String of(NvmlReport report) {
        NvmlReportText written = new NvmlReportText();
        written.line(BEGIN, report.driverVersion());
        report.gpus().forEach(written::gpu);
        report.warnings().forEach(warning -> written.line("warning", warning));
        written.line(END);
        return written.text.toString();
    }

    /** The text instead of a report: why there is none. */
    static String ofFailure(String sentence) {
        NvmlReportText written = new NvmlReportText();
        written.line(FAILED, sentence);
        written.line(END);
        return written.text.toString();
    }

    private void gpu(NvmlGpu gpu) {
        NvmlGpu.Identity identity = gpu.identity();
        line(
                "gpu",
                gpu.index(),
                identity.uuid(),
                identity.name(),
                identity.address(),
                identity.minor(),
                identity.moduleId(),
                gpu.unreadable().map(NvmlReturn::name),
                gpu.affinityNode(),
                gpu.memoryNode(),
                gpu.fabric().map(FabricState::progress),
                gpu.fabric().flatMap(FabricState::clique),
                gpu.mig().map(List::size));
        gpu.links()
                .forEach(link ->
                        line("link", link.number(), link.state(), link.version(), link.remote(), link.remoteType()));
        gpu.mig()
                .orElse(List.of())
                .forEach(mig -> line("mig", mig.uuid(), mig.gpuInstance(), mig.computeInstance(), mig.memoryBytes()));
        gpu.toOthers().forEach((other, pair) -> line("pair", other, pair.pcie(), pair.linkStatus()));
    }

    private void line(Object... fields) {
        text.append(Stream.of(fields).map(NvmlReportText::field).collect(Collectors.joining("\t")))
                .append('\n');
    }

    private static String field(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.map(NvmlReportText::field).orElse("");
        } else if (value instanceof OptionalInt number) {
            return number.isPresent() ? Integer.toString(number.getAsInt()) : "";
        } else if (value instanceof OptionalLong number) {
            return number.isPresent() ? Long.toString(number.getAsLong()) : "";
        }
        String written = ControlCharacters.escaped(value.toString());
        return written.substring(0, Math.min(written.length(), MAX_TEXT));
    }
}
