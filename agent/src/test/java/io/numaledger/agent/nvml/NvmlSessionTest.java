package io.numaledger.agent.nvml;

import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Reads made-up GPUs through JNA and a real shared library. */
class NvmlSessionTest {

    private static final List<String> PAIR = List.of(
            "gpu GPU-a 00000000:3B:00.0 1 2 3",
            "gpu GPU-b 00010000:AF:00.0 0 4 -1",
            "affinity 0 0",
            "affinity 1 0",
            "affinity 1 70",
            "link 0 0 1 0 00010000:AF:00.0",
            "link 0 1 0 255 -",
            "link 0 2 2 2 FFFFFFFF:FF:FF.0",
            "link 1 0 1 1 -",
            "ancestor 0 1 50",
            "p2p 0 1 5");

    @TempDir
    private Path directory;

    private NvmlReport observe(List<String> machine, String... defines) {
        return observe(NvmlStub.play(directory, machine, defines));
    }

    private static NvmlReport observe(Path library) {
        try (NvmlSession session = NvmlMain.open(Optional.of(library.toString()))) {
            return session.read();
        }
    }

    private static List<String> with(List<String> machine, String... more) {
        return Stream.concat(machine.stream(), Stream.of(more)).toList();
    }

    @Test
    void tellsWhichGpuItIsAndWhere() {
        NvmlReport report = observe(PAIR);
        assertThat(report.warnings()).isEmpty();
        assertThat(report.driverVersion()).contains("999.1.2");
        assertThat(report.gpus()).extracting(NvmlGpu::index).containsExactly(0, 1);
        NvmlGpu.Identity first = report.gpus().get(0).identity();
        assertThat(first.uuid()).contains("GPU-a");
        assertThat(first.name()).contains("Stub 0");
        assertThat(first.address()).contains(PciAddress.parse("0000:3b:00.0"));
        assertThat(first.minor()).hasValue(1);
        assertThat(first.moduleId()).hasValue(2);
        assertThat(report.gpus().get(1).identity().address()).contains(PciAddress.parse("10000:af:00.0"));
    }

    @Test
    void tellsTheNodesOfAGpu() {
        List<NvmlGpu> gpus = observe(PAIR).gpus();
        assertThat(gpus.get(0).affinityNode()).hasValue(0);
        assertThat(gpus.get(0).memoryNode()).hasValue(3);
        assertThat(gpus.get(1).affinityNode()).as("near two nodes").isEmpty();
        assertThat(gpus.get(1).memoryNode()).as("not supported").isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"WITH_ALL", "WITHOUT_FIELD_VALUES"})
    void tellsEachLinkAlsoWithoutFieldValues(String define) {
        List<NvLink> links = observe(PAIR, define).gpus().get(0).links();
        assertThat(links)
                .extracting(NvLink::remoteType)
                .containsExactly(
                        NvLink.RemoteType.GPU,
                        NvLink.RemoteType.UNKNOWN,
                        define.equals("WITH_ALL") ? NvLink.RemoteType.SWITCH : NvLink.RemoteType.UNKNOWN);
        assertThat(links.get(0).remote()).contains(PciAddress.parse("10000:af:00.0"));
        assertThat(links.get(0).version()).contains("4.0");
        assertThat(links.get(2).remote()).as("a hidden switch").isEmpty();
        assertThat(links)
                .extracting(NvLink::state)
                .as("older drivers call a sleeping link inactive")
                .containsExactly(
                        NvLink.State.ACTIVE,
                        NvLink.State.INACTIVE,
                        define.equals("WITH_ALL") ? NvLink.State.SLEEP : NvLink.State.INACTIVE);
    }

    @Test
    void tellsAboutPairs() {
        List<NvmlGpu> gpus = observe(PAIR).gpus();
        assertThat(gpus.get(0).toOthers()).containsOnlyKeys(1);
        assertThat(gpus.get(1).toOthers().get(0).pcie()).contains(PcieLevel.SYS);
        assertThat(gpus.get(1).toOthers().get(0).linkStatus()).hasValue(5);
    }

    @Test
    void takesThePciNumbersWhereTheTextIsEmpty() {
        assertThat(observe(PAIR, "WITHOUT_BUS_ID_TEXT").gpus())
                .extracting(gpu -> gpu.identity().address().orElseThrow().toString())
                .containsExactly("0000:3b:00.0", "10000:af:00.0");
    }

    @ParameterizedTest(name = "fabric info of version {0}")
    @ValueSource(ints = {1, 2, 3})
    void tellsTheCliqueByWhicheverCallTheDriverKnows(int version) {
        List<NvmlGpu> gpus = observe(
                        with(
                                PAIR,
                                "fabric 0 3 0 4000000000 0123456789abcdef0123456789abcdef",
                                "fabric 1 2 0 7 0123456789abcdef0123456789abcdef"),
                        "FABRIC=" + version)
                .gpus();
        assertThat(gpus.get(0).fabric())
                .contains(new FabricState(
                        FabricState.Progress.COMPLETED,
                        Optional.of("01234567-89ab-cdef-0123-456789abcdef.4000000000")));
        assertThat(gpus.get(1).fabric()).contains(new FabricState(FabricState.Progress.IN_PROGRESS, Optional.empty()));
        assertThat(gpus.get(1).fabric().orElseThrow().isSettling()).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a cluster without id | fabric 0 3 0 1 00000000000000000000000000000000
            a failed attachment  | fabric 0 3 999 1 0123456789abcdef0123456789abcdef
            """)
    void isInNoCliqueUnlessAttached(String situation, String fabric) {
        assertThat(observe(with(PAIR, fabric)).gpus().get(0).fabric())
                .contains(new FabricState(FabricState.Progress.COMPLETED, Optional.empty()));
    }

    @Test
    void passesOverEmptyMigSlots() {
        NvmlReport report = observe(with(PAIR, "mig 0 1 MIG-x 7 0 9728", "mig 0 4 MIG-y 8 1 19968"));
        assertThat(report.warnings()).isEmpty();
        assertThat(report.gpus().get(1).mig()).isEmpty();
        List<MigInstance> slices = report.gpus().get(0).mig().orElseThrow();
        assertThat(slices).extracting(slice -> slice.uuid().orElseThrow()).containsExactly("MIG-x", "MIG-y");
        assertThat(slices.get(1).gpuInstance()).hasValue(8);
        assertThat(slices.get(1).computeInstance()).hasValue(1);
        assertThat(slices.get(1).memoryBytes()).hasValue(19968L << 20);
    }

    @Test
    void readsMoreThanSixteenGpus() {
        List<String> machine = new ArrayList<>();
        IntStream.range(0, 72).forEach(i -> machine.add("gpu GPU-%d 0000%04X:01:00.0 %d -1 -1".formatted(i, i + 1, i)));
        NvmlReport report = observe(machine);
        assertThat(report.gpus()).hasSize(72);
        assertThat(report.gpus().get(71).identity().minor()).hasValue(71);
        assertThat(report.warnings()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            lost on the way        | fail nvmlDeviceGetMigMode 0 15           | cannot read a GPU: gpu=GPU-a: nvmlDeviceGetMigMode returned 15 (GPU is lost); its links are unknown; reset the GPU or restart the machine; dmesg shows the XID error
            lost from the start    | fail nvmlDeviceGetUUID 0 15              | cannot read a GPU: gpu=index 0: nvmlDeviceGetUUID returned 15 (GPU is lost); its links are unknown; reset the GPU or restart the machine; dmesg shows the XID error
            waiting for a reset    | fail nvmlDeviceGetNvLinkVersion 0 16     | cannot read a GPU: gpu=GPU-a: nvmlDeviceGetNvLinkVersion returned 16 (GPU needs a reset); its links are unknown; drain the GPU, then run nvidia-smi --gpu-reset
            device file not there  | fail nvmlDeviceGetHandleByIndex_v2 0 4   | cannot open a GPU: gpu=index 0: nvmlDeviceGetHandleByIndex_v2 returned 4 (no permission); its links are unknown; give the container the devices /dev/nvidiactl and /dev/nvidia<minor>
            """)
    void oneUnreadableGpuLeavesTheOthers(String situation, String failure, String line) {
        NvmlReport report = observe(with(PAIR, failure));
        assertThat(report.warnings()).containsExactly(line);
        assertThat(report.gpus().get(0).unreadable()).isPresent();
        assertThat(report.gpus().get(0).links()).isEmpty();
        assertThat(report.gpus().get(1).unreadable()).isEmpty();
        assertThat(report.gpus().get(1).links()).hasSize(1);
    }

    @ParameterizedTest(name = "code {0}")
    @CsvSource(delimiter = '|', textBlock = """
            4    | nvmlDeviceGetMinorNumber, nvmlDeviceGetModuleId returned 4 (no permission); it is taken without; give the container the devices /dev/nvidiactl and /dev/nvidia<minor>
            10   | nvmlDeviceGetMinorNumber, nvmlDeviceGetModuleId returned 10 (timeout); it is taken without; compare with nvidia-smi -q
            1234 | nvmlDeviceGetMinorNumber, nvmlDeviceGetModuleId returned 999 (unknown error); it is taken without; compare with nvidia-smi -q
            """)
    void refusedCallsOfAGpuAreOneLine(int code, String line) {
        NvmlReport report =
                observe(with(PAIR, "fail nvmlDeviceGetModuleId 1 " + code, "fail nvmlDeviceGetMinorNumber 1 " + code));
        assertThat(report.warnings()).containsExactly("cannot read a GPU in full: gpu=GPU-b: " + line);
        assertThat(report.gpus().get(1).identity().minor()).isEmpty();
        assertThat(report.gpus().get(1).links()).hasSize(1);
    }

    @ParameterizedTest(name = "code {0}")
    @ValueSource(ints = {2, 3, 6, 13, 21, 25, 26})
    void whatAGpuDoesNotHaveIsNoFault(int code) {
        NvmlReport report = observe(with(PAIR, "fail nvmlDeviceGetMinorNumber -1 " + code));
        assertThat(report.warnings()).isEmpty();
        assertThat(report.gpus().get(0).identity().minor()).isEmpty();
    }

    @Test
    void functionsThatTheDriverLacksAreOneLine() {
        NvmlReport report = observe(PAIR, "WITHOUT_MODULE_ID", "WITHOUT_FIELD_VALUES");
        assertThat(report.warnings())
                .containsExactly(
                        "the driver's library lacks functions: missing=nvmlDeviceGetFieldValues,nvmlDeviceGetModuleId driver=999.1.2; the values that they report are missing; install a newer driver");
        assertThat(report.gpus().get(0).identity().moduleId()).isEmpty();
        assertThat(report.gpus().get(0).identity().minor()).hasValue(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            fail nvmlInit_v2 -1 9             | cannot start NVML: nvmlInit_v2 returned 9 (driver not loaded); load the nvidia kernel module
            fail nvmlInit_v2 -1 4             | cannot start NVML: nvmlInit_v2 returned 4 (no permission); give the container the devices /dev/nvidiactl and /dev/nvidia<minor>
            fail nvmlInit_v2 -1 18            | cannot start NVML: nvmlInit_v2 returned 18 (library and kernel module are of different versions); restart this container: a driver update needs the new library
            fail nvmlDeviceGetCount_v2 -1 999 | cannot count the GPUs: nvmlDeviceGetCount_v2 returned 999 (unknown error); compare with nvidia-smi -q
            """)
    void saysWhyNvmlIsOfNoUse(String failure, String sentence) {
        List<String> machine = with(PAIR, failure);
        assertThatThrownBy(() -> observe(machine))
                .isInstanceOf(NvmlException.class)
                .hasMessage(sentence);
    }

    @Test
    void namesTheLibraryThatIsNotThere() {
        assertThatThrownBy(() -> observe(Path.of("/nonexistent/libnvidia-ml.so.1")))
                .hasMessage(
                        "cannot load NVIDIA's management library: library=/nonexistent/libnvidia-ml.so.1 was not found or not loadable; name the driver's library with --nvml-library");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            2^31-1 | count 2147483647 | 2147483647
            2^32-1 | count -1         | 4294967295
            129    | count 129        | 129
            """)
    void refusesANumberOfGpusThatNoMachineHas(String situation, String count, long told) {
        List<String> machine = with(PAIR, count);
        assertThatThrownBy(() -> observe(machine))
                .isInstanceOf(NvmlException.class)
                .hasMessage(
                        "the driver reports an impossible number of GPUs: gpus=%d limit=128; compare with nvidia-smi -L",
                        told);
    }

    @Test
    void looksAtNoMoreMigSlotsThanAnyGpuHas() {
        List<MigInstance> slices = observe(with(PAIR, "mig 0 0 MIG-x 7 0 9728", "slots 2147483647"))
                .gpus()
                .get(0)
                .mig()
                .orElseThrow();
        assertThat(slices).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"-1, 0", "-9223372036854775808, 0", "9223372036854775807, 64"})
    void looksAtNoMoreLinksThanAnyGpuHas(long reported, int links) {
        assertThat(observe(with(PAIR, "links " + reported)).gpus().get(0).links())
                .hasSizeLessThanOrEqualTo(links);
    }

    @Test
    void endsATextWithItsBuffer() {
        assertThat(observe(with(PAIR, "endless nvmlDeviceGetUUID"))
                        .gpus()
                        .get(0)
                        .identity()
                        .uuid())
                .contains("x".repeat(96));
    }
}
