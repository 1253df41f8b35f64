package io.numaledger.agent.gpu;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Prints a machine's GPUs as {@code nvidia-smi topo -m} does, and below it which GPU and NIC is which. */
final class GpuTable {

    private static final String LEGEND = """
            X = itself, NV# = that many NVLinks, PIX = at most one PCIe switch, PXB = several PCIe switches,
            PHB = one host bridge, NODE = host bridges of one NUMA node, SYS = between NUMA nodes, ? = not known
            """;

    private final GpuSystem system;
    private final GpuTopology topology;

    private GpuTable(GpuSystem system) {
        this.system = system;
        this.topology = system.topology();
    }

    static String print(GpuSystem system) {
        return new GpuTable(system).print();
    }

    private String print() {
        if (topology.gpus().isEmpty()) {
            return "no GPUs" + System.lineSeparator();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(header());
        IntStream.range(0, topology.gpus().size()).forEach(gpu -> rows.add(gpuRow(gpu)));
        IntStream.range(0, system.nics().size()).forEach(nic -> rows.add(nicRow(nic)));
        StringBuilder text = new StringBuilder(aligned(rows)).append('\n');
        IntStream.range(0, topology.gpus().size())
                .forEach(gpu -> text.append(gpuLine(gpu)).append('\n'));
        IntStream.range(0, system.nics().size())
                .forEach(nic -> text.append(
                        "NIC%d: %s%n".formatted(nic, nicText(system.nics().get(nic)))));
        topology.clique()
                .ifPresent(
                        clique -> text.append("fabric clique: ").append(clique).append('\n'));
        return text.append('\n').append(LEGEND).toString();
    }

    private List<String> header() {
        List<String> cells = new ArrayList<>(List.of(""));
        IntStream.range(0, topology.gpus().size()).forEach(gpu -> cells.add("GPU" + gpu));
        IntStream.range(0, system.nics().size()).forEach(nic -> cells.add("NIC" + nic));
        cells.addAll(List.of("CPU Affinity", "NUMA Affinity", "GPU NUMA ID"));
        return cells;
    }

    private List<String> gpuRow(int row) {
        Gpu gpu = topology.gpus().get(row);
        List<String> cells = new ArrayList<>(List.of("GPU" + row));
        IntStream.range(0, topology.gpus().size()).forEach(column -> cells.add(topology.cell(row, column)));
        system.nics().forEach(nic -> cells.add(text(nic.toGpus().get(row))));
        cells.add(system.details().get(row).cpuAffinity().orElse("?"));
        cells.add(text(gpu.numaNode(), "?"));
        cells.add(text(gpu.memoryNumaNode(), "N/A"));
        return cells;
    }

    private List<String> nicRow(int row) {
        GpuNic nic = system.nics().get(row);
        List<String> cells = new ArrayList<>(List.of("NIC" + row));
        nic.toGpus().forEach(level -> cells.add(text(level)));
        IntStream.range(0, system.nics().size()).forEach(column -> cells.add(column == row ? "X" : ""));
        return cells;
    }

    private static String text(Optional<PcieLevel> level) {
        return level.map(PcieLevel::name).orElse("?");
    }

    private static String text(OptionalInt number, String otherwise) {
        return number.isPresent() ? Integer.toString(number.getAsInt()) : otherwise;
    }

    private String gpuLine(int index) {
        Gpu gpu = topology.gpus().get(index);
        GpuDetail detail = system.details().get(index);
        List<String> words = new ArrayList<>();
        words.add("GPU" + index + ":");
        detail.product().ifPresent(words::add);
        gpu.uuid().ifPresent(uuid -> words.add("(UUID: " + uuid + ")"));
        gpu.pciAddress().map(PciAddress::toString).ifPresent(words::add);
        gpu.minor().ifPresent(minor -> words.add("/dev/nvidia" + minor));
        if (!detail.links().isEmpty()) {
            long up = detail.links().stream().filter(link -> link.isUp()).count();
            words.add("NVLinks up=%d of %d".formatted(up, detail.links().size()));
        }
        detail.mig().ifPresent(mig -> words.add("MIG instances=" + mig.size()));
        if (!gpu.linksKnown()) {
            words.add("links unknown");
        }
        return String.join(" ", words);
    }

    private static String nicText(GpuNic nic) {
        return nic.name() + nic.address().map(address -> " " + address).orElse("");
    }

    private static String aligned(List<List<String>> rows) {
        int columns = rows.get(0).size();
        int[] widths = IntStream.range(0, columns)
                .map(column -> rows.stream()
                        .filter(row -> column < row.size())
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                String cell = row.get(column);
                line.append(cell).append(" ".repeat(widths[column] - cell.length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
