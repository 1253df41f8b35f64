package io.numaledger.scheduling.stranded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.stranded.MoveSearch.Proposal;
import io.numaledger.scheduling.stranded.StrandedReport.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Reference pods whose GPUs need links, on nodes with the NVLinks of real machines. All GPUs of a zone are alike to the kubelet. */
class LinkedReferencePodTest {

    private final TestCluster cluster = new TestCluster();

    @ParameterizedTest(name = "{0}, {1} GPUs, used: {2}")
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            rtx8000-4-pairs | 2 | none        | 2 | 0 | {links=2}
            rtx8000-4-pairs | 1 | none        | 4 | 4 | {}
            dgx1-v100       | 2 | none        | 4 | 4 | {}
            dgx1-v100       | 4 | none        | 2 | 2 | {}
            dgx1-v100       | 4 | GPU-0       | 1 | 1 | {}
            dgx1-v100       | 3 | GPU-0,GPU-1 | 2 | 1 | {device=1}
            """)
    void countsGpusThatAreSurelyLinked(
            String machine, int gpus, @Nullable String used, int bySums, int byZones, String reasons)
            throws IOException {
        cluster.apply(node("n", machine));
        if (used != null) {
            cluster.apply(holder("a", "n", used.split(",")));
        }

        Row row = counted("linked:nvidia.com/gpu=%d,gpu-links=required".formatted(gpus))
                .report()
                .rows()
                .get(0);

        assertThat(row.bySums()).isEqualTo(bySums);
        assertThat(row.byZones()).isEqualTo(byZones);
        assertThat(row.reasons()).hasToString(reasons);
    }

    @Test
    void findsThePodWhoseMoveFreesLinkedGpus() throws IOException {
        cluster.apply(node("n", "dgx1-v100"), node("m", "rtx8000-4-pairs"));
        cluster.apply(holder("a", "n", "GPU-0"), holder("b", "n", "GPU-4"));
        StrandedCapacity capacity = counted("linked:nvidia.com/gpu=4,gpu-links=required");
        assertThat(capacity.report().rows().get(0).stranded()).isEqualTo(2);

        List<Proposal> found = MoveSearch.finder(cluster.state, capacity, Optional::of, () -> DisruptionBudgets.NONE)
                .find("linked");

        assertThat(found).isNotEmpty().allSatisfy(each -> {
            assertThat(each.frees()).isEqualTo(1);
            assertThat(each.moves()).extracting(MoveSearch.Move::target).containsOnly("m");
        });
    }

    private StrandedCapacity counted(String reference) {
        StrandedCapacity capacity =
                new StrandedCapacity(cluster.state, ReferencePods.of(List.of(reference)), node -> "");
        capacity.update(Integer.MAX_VALUE);
        return capacity;
    }

    /** With the GPUs of a machine in its two zones. */
    private static String node(String name, String machine) throws IOException {
        JsonNode described = described(machine);
        int all = described.path("numa").size();
        List<String> gpus = new ArrayList<>();
        List<String> links = new ArrayList<>();
        for (int gpu = 0; gpu < all; gpu++) {
            gpus.add("{\"uuid\":\"GPU-%d\",\"numa\":%d}"
                    .formatted(gpu, described.path("numa").path(gpu).asInt()));
            for (int other = 0; other < gpu; other++) {
                links.add(described.path("nvlinks").path(gpu).path(other).asText());
            }
        }
        String topology = "{\"v\":1,\"kind\":\"direct\",\"gpus\":[%s],\"links\":[%s],\"pcie\":\"%s\"}"
                .formatted(String.join(",", gpus), String.join(",", links), "?".repeat(links.size()));
        return ClusterYaml.node(name)
                .replace("gpu: \"2\"", "gpu: \"%d\"".formatted(all))
                .replace(
                        "nvidia.com/gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"",
                        "nvidia.com/gpu, capacity: \"%1$d\", allocatable: \"%1$d\", available: \"%1$d\""
                                .formatted(all / 2))
                .replace(
                        "metadata: {name: %s}\nstatus:".formatted(name),
                        "metadata: {name: %s, annotations: {numaledger.io/gpu-topology: '%s'}}\nstatus:"
                                .formatted(name, topology));
    }

    private static JsonNode described(String machine) throws IOException {
        try (InputStream file = requireNonNull(LinkedReferencePodTest.class.getResourceAsStream(machine + ".json"))) {
            return new ObjectMapper().readTree(file);
        }
    }

    /** A pod that runs with GPUs of one zone. */
    private static String holder(String name, String node, String... ids) {
        int zone = Integer.parseInt(ids[0].substring("GPU-".length())) / 4;
        String record =
                "numaledger.io/placement: '{\"version\":1,\"containers\":[{\"name\":\"c\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"%d\",\"ids\":[\"%s\"]}]}]}'"
                        .formatted(zone, String.join("\",\"", ids));
        return ClusterYaml.pod(
                name,
                "nvidia.com/gpu: \"%d\"".formatted(ids.length),
                ", annotations: {" + record + "}",
                "  nodeName: " + node,
                ", phase: Running");
    }
}
