package io.numaledger.agent.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.agent.nvml.NvmlStub;
import io.numaledger.gpu.PciAddress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Plays a described system: its sysfs as files, its driver as a stub library. */
public final class StubMachine {

    private static final Map<String, Integer> ANCESTORS =
            Map.of("PIX", 10, "PXB", 20, "PHB", 30, "NODE", 40, "SYS", 50);

    private final Path directory;
    private final JsonNode system;
    private final List<String> driver = new ArrayList<>();

    StubMachine(Path directory, JsonNode system) {
        this.directory = directory;
        this.system = system;
        writeNodes();
        for (int gpu = 0; gpu < gpus(); gpu++) {
            writeGpu(gpu);
        }
        system.path("nics").forEach(this::writeNic);
        system.path("nvswitches")
                .forEach(nvSwitch -> function(
                        nvSwitch.path("pciBusId").asText(),
                        "pci0000:c2",
                        "0x068000",
                        nvSwitch.path("numa").asInt()));
    }

    /** Four GPUs in two pairs with four links each. */
    public static StubMachine pairs(Path directory) {
        try {
            return new StubMachine(directory, new ObjectMapper().readTree("""
                    {"link_kind":"direct",
                     "gpus":[{"numa":0},{"numa":0},{"numa":1},{"numa":1}],
                     "nvlinks":[[0,4,0,0],[4,0,0,0],[0,0,0,4],[0,0,4,0]]}
                    """));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read a constant", e);
        }
    }

    public Path sysfs() {
        return directory.resolve("sys");
    }

    /** More lines for the stub, such as failures. */
    public StubMachine with(String... lines) {
        driver.addAll(List.of(lines));
        return this;
    }

    public Path library(String... defines) {
        return NvmlStub.play(directory, driver, defines);
    }

    int gpus() {
        return system.path("gpus").size();
    }

    /** The described id, or one made up. */
    String busId(int gpu) {
        return system.path("gpus").path(gpu).path("pciBusId").asText("0000:%02x:00.0".formatted(0x10 + gpu));
    }

    private int numa(int gpu) {
        return system.path("gpus").path(gpu).path("numa").asInt();
    }

    private void writeNodes() {
        for (int gpu = 0; gpu < gpus(); gpu++) {
            JsonNode described = system.path("gpus").path(gpu);
            int node = numa(gpu);
            file("devices/system/node/node%d/cpulist".formatted(node), "%d-%d".formatted(node * 4, node * 4 + 3));
            file("devices/system/cpu/cpu%d/topology/core_id".formatted(node * 4), "0");
            if (described.has("gpuNumaId")) {
                file(
                        "devices/system/node/node%d/cpulist"
                                .formatted(described.path("gpuNumaId").asInt()),
                        "");
            }
        }
        file("devices/system/cpu/online", "0-63");
    }

    /** The driver numbers some node as the GPU's memory even where it has none in the kernel. */
    private void writeGpu(int gpu) {
        JsonNode described = system.path("gpus").path(gpu);
        String bridge =
                "pci%s/%s:01.0".formatted(busId(gpu).substring(0, 7), busId(gpu).substring(0, 7));
        function(busId(gpu), bridge, "0x030200", numa(gpu));
        driver.add("gpu %s %s %d %d %d"
                .formatted(
                        described.path("uuid").asText("GPU-stub-" + gpu),
                        nvmlForm(busId(gpu)),
                        described.path("minor").asInt(gpu),
                        described.path("moduleId").asInt(gpu + 1),
                        described.path("gpuNumaId").asInt(numa(gpu))));
        links(gpu);
        for (int other = 0; other < gpu; other++) {
            Integer ancestor = ANCESTORS.get(level(gpu, other));
            if (ancestor != null) {
                driver.add("ancestor %d %d %d".formatted(gpu, other, ancestor));
            }
        }
    }

    /** Lines that name a later GPU come before it, which the stub does not mind. */
    private void links(int gpu) {
        List<String> ends = new ArrayList<>();
        if (system.has("links")) {
            system.path("links").path(gpu).forEach(remote -> ends.add("255 " + remote.asText()));
        } else {
            boolean fabric = system.path("link_kind").asText().equals("switch");
            IntStream.range(0, gpus()).forEach(other -> {
                int count = system.path("nvlinks").path(gpu).path(other).asInt();
                String end = fabric ? "2 FFFFFFFF:FF:FF.0" : "0 " + nvmlForm(busId(other));
                IntStream.range(0, fabric && other != (gpu == 0 ? 1 : 0) ? 0 : count)
                        .forEach(link -> ends.add(end));
            });
        }
        IntStream.range(0, ends.size())
                .forEach(link -> driver.add("link %d %d 1 %s".formatted(gpu, link, ends.get(link))));
    }

    private String level(int row, int column) {
        String field = system.has("pcie_levels") ? "pcie_levels" : "topo_cells";
        return system.path(field).path(row).path(column).asText();
    }

    /** Below the same root port as the GPU that it is near to. */
    private void writeNic(JsonNode nic) {
        String address = nic.path("pciBusId").asText();
        String near = nic.has("pix_gpu") ? busId(nic.path("pix_gpu").asInt()).substring(0, 7) : address.substring(0, 7);
        Path function = function(
                address,
                "pci%s/%s:01.0".formatted(near, near),
                "0x020700",
                nic.path("numa").asInt());
        String name = nic.path("name").asText();
        try {
            Path device = Files.createDirectories(function.resolve("infiniband").resolve(name));
            Path link = sysfs().resolve("class").resolve("infiniband").resolve(name);
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, device);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a NIC: name=" + name, e);
        }
    }

    private Path function(String address, String bridges, String classCode, int numa) {
        String place = "devices/" + bridges + "/" + address;
        file(place + "/class", classCode);
        file(place + "/vendor", classCode.equals("0x020700") ? "0x15b3" : "0x10de");
        file(place + "/device", "0x22a3");
        file(place + "/numa_node", Integer.toString(numa));
        try {
            Path link = sysfs().resolve("bus/pci/devices").resolve(address);
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, sysfs().resolve(place));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a PCI function: address=" + address, e);
        }
        return sysfs().resolve(place);
    }

    private void file(String path, String text) {
        try {
            Path file = sysfs().resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a file of sysfs: path=" + path, e);
        }
    }

    private static String nvmlForm(String busId) {
        PciAddress address = PciAddress.parse(busId);
        return "%08x:%02x:%02x.0"
                .formatted(address.domain(), address.bus(), address.device())
                .toUpperCase(Locale.ROOT);
    }
}
