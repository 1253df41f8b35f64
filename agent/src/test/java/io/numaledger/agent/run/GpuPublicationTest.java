package io.numaledger.agent.run;

import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.config.GpuPublicationOptions;
import io.numaledger.agent.gpu.StubMachine;
import io.numaledger.agent.nvml.NvmlStub;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.agent.sysfs.SysfsProbe;
import io.numaledger.nrt.gpu.GpuTopologyText;
import io.numaledger.nrt.gpu.NodeAnnotations;
import io.numaledger.nrt.gpu.SeedForm;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class GpuPublicationTest {

    @TempDir
    private Path directory;

    private final Node node = new Node();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    /** The Node object, which can refuse, and the calls made on it. */
    private static final class Node implements NodeAnnotations {

        private final SortedMap<String, String> stored = new TreeMap<>();
        private int reads;
        private int patches;
        private Optional<Integer> refusal = Optional.empty();
        private Optional<Error> error = Optional.empty();

        @Override
        public SortedMap<String, String> own() throws IOException {
            reads++;
            error.ifPresent(thrown -> {
                throw thrown;
            });
            if (refusal.isPresent()) {
                throw new ApiException(refusal.get(), "refused", Optional.empty());
            }
            return new TreeMap<>(stored);
        }

        @Override
        public void patch(SortedMap<String, Optional<String>> changes) {
            patches++;
            changes.forEach(
                    (key, value) -> value.ifPresentOrElse(text -> stored.put(key, text), () -> stored.remove(key)));
        }
    }

    /** One pod that holds devices. */
    private record Holding(List<String> devices) implements PodResources {

        @Override
        public PodResourcesSnapshot list() {
            List<DeviceAllocation> held = devices.stream()
                    .map(id -> new DeviceAllocation("nvidia.com/gpu", id, List.of(0)))
                    .toList();
            ContainerAllocation container = new ContainerAllocation("c", CpuSet.EMPTY, List.of(), held);
            return new PodResourcesSnapshot(
                    List.of(new PodAllocation("default", "p", List.of(container), CpuSet.EMPTY, List.of())));
        }

        @Override
        public AllocatableResources allocatable() {
            throw new UnsupportedOperationException("not asked for");
        }

        @Override
        public PodAllocation get(String namespace, String name) throws PodResourcesException {
            throw new UnsupportedOperationException("not asked for");
        }
    }

    private GpuPublication publication(StubMachine machine, List<String> held, String... flags) {
        return publication(machine.sysfs(), machine.library(), held, flags);
    }

    private GpuPublication publication(Path sysfs, Path library, List<String> held, String... flags) {
        GpuPublicationOptions options = new GpuPublicationOptions();
        String[] all = Stream.concat(
                        Stream.of("--nvml-library=" + library, "--dev-root=" + directory), Stream.of(flags))
                .toArray(String[]::new);
        new CommandLine(options).parseArgs(all);
        NodeProbe machine =
                () -> new NodeProbe.Reading(new SysfsProbe(sysfs).probe().topology(), List.of());
        return new GpuPublication(
                "n1",
                new GpuPublication.Parts(options.survey(sysfs), machine, new Holding(held), node, () -> now),
                options);
    }

    @Test
    void writesTheTopologyOnceAndLooksAgainLater() {
        GpuPublication publication = publication(StubMachine.pairs(directory), List.of());
        assertThat(publication.iterate()).contains(Duration.ofMinutes(10));
        assertThat(node.stored).containsOnlyKeys(GpuTopologyText.KEY, NodeAnnotations.PCI_NUMA_NODES);
        assertThat(GpuTopologyText.read(node.stored.get(GpuTopologyText.KEY))
                        .links()
                        .links(0, 1))
                .isEqualTo(4);
        assertThat(node.stored)
                .containsEntry(
                        NodeAnnotations.PCI_NUMA_NODES, "0000:10:00.0-0000:11:00.0=0,0000:12:00.0-0000:13:00.0=1");
        now = now.plus(Duration.ofMinutes(10));
        publication.iterate();
        assertThat(node.patches).isEqualTo(1);
    }

    @Test
    void looksAgainSoonWhileAGpuCannotBeRead() {
        StubMachine machine = StubMachine.pairs(directory).with("fail nvmlDeviceGetMigMode 1 15");
        assertThat(publication(machine, List.of()).iterate()).contains(Duration.ofSeconds(30));
        assertThat(node.stored.get(GpuTopologyText.KEY)).contains("\"missing\":true");
    }

    @Test
    void retriesWithBackoffWhileNvmlCrashesAndKeepsTheLinksThatAreKnown() throws IOException {
        StubMachine machine = StubMachine.pairs(directory);
        Path library = machine.library();
        List<String> driver = Files.readAllLines(Path.of(library + ".machine"));
        GpuPublication publication = publication(machine.sysfs(), library, List.of());
        publication.iterate();
        String known = node.stored.get(GpuTopologyText.KEY);

        try (CapturedLog log = new CapturedLog()) {
            NvmlStub.change(library, List.of("crash nvmlInit_v2"));
            for (int first : List.of(30, 60, 120, 240, 300, 300)) {
                now = now.plus(Duration.ofMinutes(10));
                assertThat(publication.iterate().orElseThrow())
                        .isBetween(Duration.ofSeconds(first), Duration.ofSeconds(2L * first));
            }
            assertThat(node.stored).containsEntry(GpuTopologyText.KEY, known);
            NvmlStub.change(library, driver);
            now = now.plus(Duration.ofMinutes(10));
            assertThat(publication.iterate()).contains(Duration.ofMinutes(10));
            assertThat(log.events()).hasSize(2);
            assertThat(log.events().get(0))
                    .startsWith("event=nvml.failed node=n1 problem='NVML crashed: SIGSEGV in libnvidia-ml-stub.so+");
            assertThat(log.events().get(1)).isEqualTo("event=nvml.recovered node=n1 failures=6");
        }
        assertThat(node.stored).containsEntry(GpuTopologyText.KEY, known);
    }

    @Test
    void tellsWhichGpusAreHeldWhenAskedTo() {
        GpuPublication publication = publication(
                StubMachine.pairs(directory), List.of("GPU-stub-2::0", "eth0"), "--gpu-states", "--nvlink-matrix");
        assertThat(publication.iterate()).contains(Duration.ofSeconds(30));
        assertThat(node.stored)
                .containsEntry(SeedForm.STATES_KEY, "[\"free\",\"free\",\"used\",\"free\"]")
                .containsEntry(SeedForm.MATRIX_KEY, "[[0,1,0,0],[1,0,0,0],[0,0,0,1],[0,0,1,0]]");
    }

    @Test
    void stopsWhereItMayNotWrite() {
        node.refusal = Optional.of(403);
        assertThat(publication(StubMachine.pairs(directory), List.of()).iterate())
                .isEmpty();
    }

    @Test
    void triesAgainAfterAnyOtherFailure() {
        node.refusal = Optional.of(500);
        GpuPublication publication = publication(StubMachine.pairs(directory), List.of());
        assertThat(publication.iterate()).isPresent();
        node.refusal = Optional.empty();
        publication.iterate();
        assertThat(node.stored).containsOnlyKeys(GpuTopologyText.KEY, NodeAnnotations.PCI_NUMA_NODES);
    }

    @Test
    void goesOnAfterAnError() {
        node.error = Optional.of(new UnsatisfiedLinkError("nvml"));
        GpuPublication publication = publication(StubMachine.pairs(directory), List.of());
        assertThat(publication.iterate()).isPresent();
        node.error = Optional.empty();
        publication.iterate();
        assertThat(node.stored).containsOnlyKeys(GpuTopologyText.KEY, NodeAnnotations.PCI_NUMA_NODES);
    }

    @Test
    void publishesTheNumaNodesOfOtherPciFunctionsOnceAndWhenTheyChange() throws IOException {
        Path sysfs = directory.resolve("sys");
        function(sysfs, "0000:3b:00.0", 0);
        function(sysfs, "0000:3b:00.1", -1);
        function(sysfs, "0000:5e:00.0", 1);
        GpuPublication publication = publication(sysfs, Path.of("/nonexistent.so"), List.of());
        for (int turn = 0; turn < 3; turn++) {
            publication.iterate();
            now = now.plus(Duration.ofMinutes(10));
        }
        assertThat(node.stored).isEqualTo(Map.of(NodeAnnotations.PCI_NUMA_NODES, "0000:3b:00.0=0,0000:5e:00.0=1"));
        assertThat(node.reads).isEqualTo(1);

        for (int vf = 1; vf < 8; vf++) {
            function(sysfs, "0000:5e:00." + vf, 1);
        }
        publication.iterate();
        assertThat(node.stored)
                .containsEntry(NodeAnnotations.PCI_NUMA_NODES, "0000:3b:00.0=0,0000:5e:00.0-0000:5e:00.7=1");
    }

    private static void function(Path sysfs, String address, int numaNode) throws IOException {
        Path function = Files.createDirectories(sysfs.resolve("bus/pci/devices").resolve(address));
        Files.writeString(function.resolve("numa_node"), numaNode + "\n");
    }

    @Test
    void aNodeWithoutGpusIsCleanedOnceAndLeftAlone() throws IOException {
        node.stored.put(GpuTopologyText.KEY, "left by an earlier life");
        Path sysfs = Files.createDirectories(directory.resolve("empty"));
        GpuPublication publication = publication(sysfs, Path.of("/nonexistent.so"), List.of());
        List<Optional<Duration>> pauses = new ArrayList<>();
        for (int turn = 0; turn < 3; turn++) {
            pauses.add(publication.iterate());
            now = now.plus(Duration.ofMinutes(10));
        }
        assertThat(node.stored).isEmpty();
        assertThat(node.reads).isEqualTo(1);
        assertThat(pauses).containsOnly(Optional.of(Duration.ofMinutes(10)));
    }
}
