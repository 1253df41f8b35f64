package io.numaledger.agent.pci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.agent.sysfs.SysfsProbe;
import io.numaledger.agent.sysfs.SysfsReader;
import io.numaledger.gpu.PciAddress;
import io.numaledger.topology.MachineTopology;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** PCI trees of real machines, against the expected outputs that hwloc keeps beside them. */
class PciCapturesTest {

    private static final String TWO_SOCKETS = "32em64t-2n8c+dax+nvme+mic+dimms";

    @TempDir
    private static Path directory;

    private static final Map<String, Path> UNPACKED = new ConcurrentHashMap<>();

    private final SysfsReader reader = new SysfsReader();

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {TWO_SOCKETS, "nvidiagpunumanodes", "2pa-pcidomain32bits"})
    void tellsWhatEachFunctionIsAndWhere(String capture) throws IOException {
        JsonNode truth = truth(capture);
        Path sysfs = unpacked(truth);
        MachineTopology machine = new SysfsProbe(sysfs).probe().topology();
        PciBus bus = new PciBus(reader, sysfs, machine);
        truth.path("pci").properties().forEach(entry -> {
            PciFunction function =
                    bus.function(PciAddress.parse(entry.getKey())).orElseThrow();
            JsonNode expected = entry.getValue();
            assertThat(function.classCode() >>> 8)
                    .as("class of %s", entry.getKey())
                    .isEqualTo(Integer.parseInt(expected.path("class").asText(), 16));
            assertThat("%04x".formatted(function.vendor()))
                    .isEqualTo(expected.path("vendor").asText());
            assertThat(function.numaNode())
                    .as("node of %s", entry.getKey())
                    .isEqualTo(node(expected.path("numa_nodes")));
        });
        assertThat(bus.addresses())
                .isSorted()
                .hasSizeGreaterThanOrEqualTo(truth.path("pci").size());
        assertThat(reader.warnings()).isEmpty();
    }

    /** Several nodes, or none, mean that none is known. */
    private static OptionalInt node(JsonNode nodes) {
        return nodes.size() == 1 ? OptionalInt.of(nodes.path(0).asInt()) : OptionalInt.empty();
    }

    @Test
    void tellsTheRdmaNicAndTheSoftwareDevice() throws IOException {
        Path sysfs = unpacked(truth(TWO_SOCKETS));
        PciBus bus = new PciBus(reader, sysfs, new SysfsProbe(sysfs).probe().topology());
        List<RdmaNic> nics = new RdmaNics(reader, sysfs, bus).read();
        assertThat(nics).extracting(RdmaNic::name).containsExactly("scif0", "mlx4_0");
        assertThat(nics.get(0).function()).isEmpty();
        PciFunction mlx4 = nics.get(1).function().orElseThrow();
        assertThat(mlx4.address()).hasToString("0000:82:00.0");
        assertThat(mlx4.driver()).contains("mlx4_core");
        assertThat(mlx4.numaNode()).hasValue(1);
        assertThat(mlx4.upstream()).containsExactly("pci0000:80", "0000:80:02.2");
        assertThat(nics.get(1).ports()).extracting(RdmaNic.Port::number).containsExactly(1);
    }

    @Test
    void seesNoNvidiaDeviceWhereThereIsNone() throws IOException {
        Path sysfs = unpacked(truth(TWO_SOCKETS));
        PciBus bus = new PciBus(reader, sysfs, new SysfsProbe(sysfs).probe().topology());
        assertThat(bus.nvidiaFunctions()).isEmpty();
        assertThat(bus.function(PciAddress.parse("0000:7f:00.0"))).isEqualTo(Optional.empty());
    }

    private static JsonNode truth(String capture) throws IOException {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "skipped: NUMALEDGER_DATA names no directory with recorded data");
        return new ObjectMapper()
                .readTree(Files.readString(Path.of(data, "hwloc", "truth.json")))
                .path(capture);
    }

    private static Path unpacked(JsonNode truth) {
        String tarball = truth.path("tarball").asText();
        Path root = UNPACKED.computeIfAbsent(tarball, PciCapturesTest::unpack);
        return root.resolve(truth.path("fs_root").asText()).resolve("sys");
    }

    private static Path unpack(String tarball) {
        try {
            Path root = Files.createDirectory(directory.resolve(tarball));
            Path archive = Path.of(System.getenv("NUMALEDGER_DATA"), "hwloc", tarball);
            Process tar = new ProcessBuilder(
                            "tar", "-xjf", archive.toString(), "--no-same-owner", "--exclude=*/proc/[0-9]*")
                    .directory(root.toFile())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assumeTrue(tar.waitFor() == 0, "skipped: tar and bzip2 are needed to unpack the captures: " + said);
            return root;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack a capture: tarball=" + tarball, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while unpacking: tarball=" + tarball, e);
        }
    }
}
