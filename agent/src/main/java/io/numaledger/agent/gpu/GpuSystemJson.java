package io.numaledger.agent.gpu;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.numaledger.agent.nvml.MigInstance;
import io.numaledger.agent.nvml.NvLink;
import io.numaledger.agent.pci.PciFunction;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Writes a machine as JSON: per GPU its ids and places, {@code nvlinks} (links of each pair), {@code topo_cells} as
 * {@code nvidia-smi topo -m} prints them, {@code pcie_levels} of all pairs. What is unknown is left out.
 */
final class GpuSystemJson {

    private final GpuSystem system;
    private final JsonGenerator json;

    private GpuSystemJson(GpuSystem system, JsonGenerator json) {
        this.system = system;
        this.json = json;
    }

    static String write(GpuSystem system) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            new GpuSystemJson(system, json).write();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write JSON to memory: system=%s; report this".formatted(system.name()), e);
        }
        return text.toString();
    }

    private void write() throws IOException {
        GpuTopology topology = system.topology();
        json.writeStartObject();
        json.writeStringField("name", system.name());
        text("description", system.description());
        json.writeStringField("link_kind", topology.kind().text());
        text("clique", topology.clique());
        json.writeArrayFieldStart("gpus");
        for (int index = 0; index < topology.gpus().size(); index++) {
            gpu(index, topology.gpus().get(index), system.details().get(index));
        }
        json.writeEndArray();
        matrices(topology);
        details();
        nics();
        switches();
        json.writeEndObject();
    }

    private void gpu(int index, Gpu gpu, GpuDetail detail) throws IOException {
        json.writeStartObject();
        json.writeNumberField("index", index);
        number("numa", gpu.numaNode());
        text("pciBusId", gpu.pciAddress().map(PciAddress::toString));
        text("uuid", gpu.uuid());
        number("minor", gpu.minor());
        number("moduleId", gpu.moduleId());
        number("gpuNumaId", gpu.memoryNumaNode());
        text("product", detail.product());
        if (!gpu.linksKnown()) {
            json.writeBooleanField("linksKnown", false);
        }
        if (detail.mig().isPresent()) {
            mig(detail.mig().get());
        }
        json.writeEndObject();
    }

    private void mig(List<MigInstance> instances) throws IOException {
        json.writeArrayFieldStart("mig");
        for (MigInstance instance : instances) {
            json.writeStartObject();
            text("uuid", instance.uuid());
            number("gpuInstance", instance.gpuInstance());
            number("computeInstance", instance.computeInstance());
            if (instance.memoryBytes().isPresent()) {
                json.writeNumberField("memoryBytes", instance.memoryBytes().getAsLong());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void matrices(GpuTopology topology) throws IOException {
        int size = topology.gpus().size();
        json.writeArrayFieldStart("nvlinks");
        for (int row = 0; row < size; row++) {
            int[] counts = new int[size];
            for (int column = 0; column < size; column++) {
                counts[column] = topology.links().links(row, column);
            }
            json.writeArray(counts, 0, size);
        }
        json.writeEndArray();
        cells("topo_cells", topology::cell);
        cells("pcie_levels", (row, column) -> pcieCell(topology, row, column));
    }

    private static String pcieCell(GpuTopology topology, int row, int column) {
        return row == column ? "X" : levelText(topology.pcie().level(row, column));
    }

    private static String levelText(Optional<PcieLevel> level) {
        return level.map(PcieLevel::name).orElse("?");
    }

    /** What stands in a cell of a matrix. */
    private interface Cell {
        String text(int row, int column);
    }

    private void cells(String field, Cell cell) throws IOException {
        int size = system.topology().gpus().size();
        json.writeArrayFieldStart(field);
        for (int row = 0; row < size; row++) {
            String[] texts = new String[size];
            for (int column = 0; column < size; column++) {
                texts[column] = cell.text(row, column);
            }
            json.writeArray(texts, 0, size);
        }
        json.writeEndArray();
    }

    /** {@code links}: the other end of each link as the driver reports it; a hidden switch has all bits set. */
    private void details() throws IOException {
        if (system.details().stream().anyMatch(detail -> !detail.links().isEmpty())) {
            json.writeArrayFieldStart("links");
            for (GpuDetail detail : system.details()) {
                String[] remotes =
                        detail.links().stream().map(GpuSystemJson::remote).toArray(String[]::new);
                json.writeArray(remotes, 0, remotes.length);
            }
            json.writeEndArray();
        }
        if (system.details().stream().allMatch(detail -> detail.cpuAffinity().isPresent())) {
            String[] cpus = system.details().stream()
                    .map(detail -> detail.cpuAffinity().orElseThrow())
                    .toArray(String[]::new);
            json.writeFieldName("cpu_affinity");
            json.writeArray(cpus, 0, cpus.length);
        }
    }

    private static String remote(NvLink link) {
        return link.isUp()
                ? link.remote().map(PciAddress::toString).orElse("FFFFFFFF:FF:FF.0")
                : link.state().name();
    }

    private void nics() throws IOException {
        json.writeArrayFieldStart("nics");
        for (GpuNic nic : system.nics()) {
            json.writeStartObject();
            json.writeStringField("name", nic.name());
            text("pciBusId", nic.address().map(PciAddress::toString));
            number("numa", nic.numaNode());
            String[] levels =
                    nic.toGpus().stream().map(GpuSystemJson::levelText).toArray(String[]::new);
            json.writeFieldName("gpu_levels");
            json.writeArray(levels, 0, levels.length);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void switches() throws IOException {
        if (system.switches().isEmpty()) {
            return;
        }
        json.writeArrayFieldStart("nvswitches");
        for (PciFunction nvSwitch : system.switches()) {
            json.writeStartObject();
            json.writeStringField("pciBusId", nvSwitch.address().toString());
            number("numa", nvSwitch.numaNode());
            json.writeStringField("class", "0x%06x".formatted(nvSwitch.classCode()));
            json.writeStringField("vendor", "0x%04x".formatted(nvSwitch.vendor()));
            json.writeStringField("device", "0x%04x".formatted(nvSwitch.device()));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void text(String field, Optional<String> value) throws IOException {
        if (value.isPresent()) {
            json.writeStringField(field, value.get());
        }
    }

    private void number(String field, OptionalInt value) throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsInt());
        }
    }
}
