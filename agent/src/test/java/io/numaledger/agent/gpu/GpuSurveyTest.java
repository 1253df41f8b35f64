package io.numaledger.agent.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.agent.nvml.NvmlProbe;
import io.numaledger.agent.sysfs.SysfsProbe;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PcieLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each described system is played by files and a stub library, and read back through the production readers. */
class GpuSurveyTest {

    @TempDir
    private Path directory;

    static List<Path> systems() {
        return DescribedSystems.files();
    }

    private StubMachine machine(String name) {
        return new StubMachine(directory, DescribedSystems.json(DescribedSystems.file(name)));
    }

    private GpuSurvey.Result observe(StubMachine machine, Path library) {
        return new GpuSurvey(
                        machine.sysfs(),
                        directory,
                        new NvmlProbe(Optional.of(library.toString()), Duration.ofMinutes(1)))
                .observe("played", new SysfsProbe(machine.sysfs()).probe().topology());
    }

    private GpuSurvey.Result observe(StubMachine machine) {
        return observe(machine, machine.library());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("systems")
    void seesTheMachineThatIsDescribed(Path file) throws IOException {
        JsonNode described = DescribedSystems.json(file);
        GpuSurvey.Result result = observe(new StubMachine(directory, described));
        assertThat(result.failure()).isEmpty();
        assertThat(result.warnings()).isEmpty();
        assertThat(result.complete()).isTrue();
        Path written = Files.writeString(directory.resolve("written.json"), GpuSystemJson.write(result.system()));
        JsonNode seen = DescribedSystems.json(written);
        assertThat(seen.path("nvlinks")).isEqualTo(described.path("nvlinks"));
        assertThat(seen.path("link_kind")).isEqualTo(described.path("link_kind"));
        for (String field : List.of("numa", "uuid", "pciBusId", "gpuNumaId", "moduleId", "minor")) {
            described.path("gpus").forEach(gpu -> {
                JsonNode same = seen.path("gpus").path(gpu.path("index").asInt());
                assertThat(gpu.has(field) ? same.path(field) : gpu.path(field))
                        .as("%s of %s", field, gpu)
                        .isEqualTo(gpu.path(field));
                assertThat(same.has("gpuNumaId")).isEqualTo(gpu.has("gpuNumaId"));
            });
        }
        if (described.has("topo_cells")) {
            assertThat(seen.path("topo_cells")).isEqualTo(described.path("topo_cells"));
        }
    }

    @Test
    void tellsTheDistanceOfEachNic() {
        GpuSystem system = observe(machine("hgx-h200-8")).system();
        assertThat(system.nics()).extracting(GpuNic::name).startsWith("mlx5_0").hasSize(8);
        assertThat(system.nics().get(2).toGpus())
                .extracting(level -> level.orElseThrow())
                .containsExactly(
                        PcieLevel.NODE,
                        PcieLevel.NODE,
                        PcieLevel.PIX,
                        PcieLevel.NODE,
                        PcieLevel.SYS,
                        PcieLevel.SYS,
                        PcieLevel.SYS,
                        PcieLevel.SYS);
        assertThat(system.switches()).hasSize(4);
    }

    @Test
    void aLostGpuKeepsItsPlaceAndTheOthersTheirLinks() {
        GpuSurvey.Result result = observe(machine("hgx-h200-8").with("fail nvmlDeviceGetNvLinkRemoteDeviceType 5 15"));
        GpuTopology topology = result.system().topology();
        assertThat(topology.gpus())
                .extracting(Gpu::linksKnown)
                .containsExactly(true, true, true, true, true, false, true, true);
        assertThat(topology.gpus().get(5).numaNode()).hasValue(1);
        assertThat(topology.links().links(4, 5)).isZero();
        assertThat(topology.links().links(4, 6)).isEqualTo(18);
        assertThat(result.complete()).isFalse();
        assertThat(result.warnings()).singleElement().asString().contains("returned 15 (GPU is lost)");
    }

    @Test
    void aGpuThatIsNotOpenToUsIsTheOneThatOnlySysfsShows() {
        GpuSurvey.Result result = observe(machine("dgx1-v100").with("fail nvmlDeviceGetHandleByIndex_v2 3 4"));
        assertThat(result.system().topology().gpus())
                .hasSize(8)
                .element(3)
                .extracting(gpu -> gpu.label() + " " + gpu.linksKnown())
                .isEqualTo("0000:13:00.0 false");
        assertThat(result.complete()).isFalse();
    }

    @Test
    void oneGpuWhoseFabricIsDownHasNoLinks() {
        GpuTopology topology =
                observe(machine("hgx-h100-8").with(linksDown(2))).system().topology();
        assertThat(topology.links().links(0, 1)).isEqualTo(18);
        assertThat(topology.links().neighbours(2).isEmpty()).isTrue();
        assertThat(topology.kind()).isEqualTo(LinkKind.SWITCH);
    }

    private static String[] linksDown(int gpu) {
        return IntStream.range(0, 18)
                .mapToObj(link -> "link %d %d 0 255 -".formatted(gpu, link))
                .toArray(String[]::new);
    }

    @Test
    void takesTheSmallerCountOfTwoEndsThatDisagree() {
        GpuSurvey.Result result = observe(machine("rtx8000-4-pairs").with("link 0 1 0 255 -"));
        assertThat(result.system().topology().links().links(0, 3)).isEqualTo(1);
        assertThat(result.warnings())
                .containsExactly(
                        "the two ends of an NVLink disagree: gpus=0,3 counts=1,2; the smaller is taken; run nvidia-smi nvlink --status");
    }

    @Test
    void aLinkToTheProcessorIsNoneToAGpu() {
        GpuTopology topology = observe(machine("l40s-8-pcie").with("link 0 0 1 1 -", "link 1 0 1 1 -"))
                .system()
                .topology();
        assertThat(topology.links()).isEqualTo(LinkMatrix.none(8));
        assertThat(topology.kind()).isEqualTo(LinkKind.NONE);
    }

    @Test
    void saysWhichWiredPairsProgramsCannotUse() {
        GpuSurvey.Result result = observe(machine("gh200-4").with("p2p 0 2 5", "p2p 1 3 5"));
        assertThat(result.warnings())
                .containsExactly(
                        "NVLinks are wired but the driver does not let programs use them: pairs=0-2,1-3; check that the fabric manager runs, then nvidia-smi topo -p2p n");
    }

    @Test
    void aFabricInProgressIsNotComplete() {
        String cluster = " 0 7 0123456789abcdef0123456789abcdef";
        GpuSurvey.Result result = observe(machine("gh200-4")
                .with("fabric 0 3" + cluster, "fabric 1 3" + cluster, "fabric 2 2" + cluster, "fabric 3 3" + cluster));
        assertThat(result.complete()).isFalse();
        assertThat(result.system().topology().clique()).isEmpty();
    }

    @Test
    void allGpusOfOneCliqueMakeTheMachinesClique() {
        String fabric = " 3 0 7 0123456789abcdef0123456789abcdef";
        GpuSurvey.Result result = observe(machine("gh200-4")
                .with("fabric 0" + fabric, "fabric 1" + fabric, "fabric 2" + fabric, "fabric 3" + fabric));
        assertThat(result.complete()).isTrue();
        assertThat(result.system().topology().clique()).contains("01234567-89ab-cdef-0123-456789abcdef.7");
    }

    @Test
    void theDriversAffinityIsTheLastResortForTheNode() throws IOException {
        StubMachine machine = machine("dgx1-v100").with("affinity 0 1", "affinity 1 0", "affinity 1 1");
        for (int gpu = 0; gpu < 2; gpu++) {
            Files.writeString(machine.sysfs().resolve("bus/pci/devices/" + machine.busId(gpu) + "/numa_node"), "-1\n");
        }
        List<Gpu> gpus = observe(machine).system().topology().gpus();
        assertThat(gpus.get(0).numaNode()).as("one node").hasValue(1);
        assertThat(gpus.get(1).numaNode()).as("two nodes").isEqualTo(OptionalInt.empty());
        assertThat(gpus.get(2).numaNode()).as("sysfs first").hasValue(0);
    }

    @Test
    void withoutADriverGpusAreAsSysfsShowsThem() {
        StubMachine machine = machine("perlmutter-a100-4");
        GpuSurvey.Result result = observe(machine, Path.of("/nonexistent/libnvidia-ml.so.1"));
        GpuTopology topology = result.system().topology();
        assertThat(topology.gpus())
                .extracting(gpu -> gpu.numaNode().orElseThrow())
                .containsExactly(3, 2, 1, 0);
        assertThat(topology.gpus()).noneMatch(Gpu::linksKnown);
        assertThat(topology.cell(0, 1)).isEqualTo("SYS");
        assertThat(result.complete()).isFalse();
        assertThat(result.warnings()).isEmpty();
        assertThat(result.failure())
                .contains(
                        "cannot load NVIDIA's management library: library=/nonexistent/libnvidia-ml.so.1 was not found or not loadable; name the driver's library with --nvml-library");
    }
}
