package io.numaledger.agent.gpu;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;
import io.numaledger.gpu.PcieLevels;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Reads a machine described in JSON: {@code gpus}, {@code nvlinks}, and what else {@link GpuSystemJson} writes. Only
 * these two are needed; fields that it does not know are passed over.
 */
final class GpuSystemFile {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private final JsonNode root;

    private GpuSystemFile(Path file, JsonNode root) {
        this.file = file;
        this.root = root;
    }

    /** @throws IllegalArgumentException naming the file and what in it cannot be used */
    static GpuSystem read(Path file) {
        try {
            return new GpuSystemFile(file, JSON.readTree(Files.readString(file))).system();
        } catch (JsonProcessingException e) {
            throw unusable(file, "it is no JSON: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw unusable(file, e.toString(), e);
        } catch (IllegalArgumentException e) {
            throw unusable(file, String.valueOf(e.getMessage()), e);
        }
    }

    private static IllegalArgumentException unusable(Path file, String why, Exception cause) {
        return new IllegalArgumentException(
                "cannot use a described system: file=%s: %s; write one with agent probe --gpus -o json"
                        .formatted(file, why),
                cause);
    }

    private GpuSystem system() {
        List<JsonNode> gpus = rows("gpus");
        LinkMatrix links = LinkMatrix.of(
                rows("nvlinks").stream().map(GpuSystemFile::numbers).toArray(int[][]::new));
        GpuTopology topology = new GpuTopology(
                IntStream.range(0, gpus.size())
                        .mapToObj(index -> gpu(index, gpus.get(index)))
                        .toList(),
                text(root, "link_kind").map(LinkKind::parse).orElse(LinkKind.DIRECT),
                links,
                PcieLevels.of(gpus.size(), this::level),
                text(root, "clique"));
        return new GpuSystem(
                text(root, "name").orElse(String.valueOf(file.getFileName())),
                text(root, "description"),
                topology,
                IntStream.range(0, gpus.size())
                        .mapToObj(index -> GpuDetail.described(
                                text(root.path("cpu_affinity").path(index))))
                        .toList(),
                stream(root.path("nics")).map(nic -> nic(nic, gpus.size())).toList(),
                List.of());
    }

    private List<JsonNode> rows(String field) {
        if (!root.path(field).isArray()) {
            throw new IllegalArgumentException("field=%s is no list".formatted(field));
        }
        return stream(root.path(field)).toList();
    }

    private static Stream<JsonNode> stream(JsonNode list) {
        return IntStream.range(0, list.size()).mapToObj(list::get);
    }

    private static int[] numbers(JsonNode row) {
        return stream(row)
                .mapToInt(cell -> {
                    if (!cell.canConvertToInt()) {
                        throw new IllegalArgumentException("field=nvlinks has a cell that is no number: " + cell);
                    }
                    return cell.intValue();
                })
                .toArray();
    }

    private static Gpu gpu(int index, JsonNode gpu) {
        if (gpu.path("index").asInt(index) != index) {
            throw new IllegalArgumentException(
                    "field=gpus is to be in order of index: place=%d %s".formatted(index, gpu));
        }
        return new Gpu(
                text(gpu, "uuid"),
                text(gpu, "pciBusId").map(PciAddress::parse),
                number(gpu, "minor"),
                number(gpu, "moduleId"),
                number(gpu, "numa"),
                number(gpu, "gpuNumaId"),
                gpu.path("linksKnown").asBoolean(true));
    }

    private static GpuNic nic(JsonNode nic, int gpus) {
        return new GpuNic(
                text(nic, "name").orElse("?"),
                text(nic, "pciBusId").map(PciAddress::parse),
                number(nic, "numa"),
                IntStream.range(0, gpus)
                        .mapToObj(gpu -> text(nic.path("gpu_levels").path(gpu)).flatMap(GpuSystemFile::pcieLevel))
                        .toList());
    }

    /** Cells of NVLink pairs hide the PCIe level, which {@code pcie_levels} has for all pairs where it is there. */
    private Optional<PcieLevel> level(int row, int column) {
        return Stream.of("pcie_levels", "topo_cells")
                .flatMap(field -> text(root.path(field).path(row).path(column)).stream())
                .flatMap(cell -> pcieLevel(cell).stream())
                .findFirst();
    }

    private static Optional<PcieLevel> pcieLevel(String cell) {
        return Arrays.stream(PcieLevel.values())
                .filter(level -> level.name().equals(cell))
                .findFirst();
    }

    private static Optional<String> text(JsonNode object, String field) {
        return text(object.path(field));
    }

    private static Optional<String> text(JsonNode value) {
        return value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
    }

    private static OptionalInt number(JsonNode object, String field) {
        JsonNode value = object.path(field);
        return value.canConvertToInt() ? OptionalInt.of(value.intValue()) : OptionalInt.empty();
    }
}
