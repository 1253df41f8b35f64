package io.numaledger.agent.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.agent.config.NodeOptions;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.PodRecords;
import io.numaledger.nrt.NodeTopology.Owner;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.podresources.PodResourcesClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Compares what the agent publishes for a recorded kubelet and sysfs with what other exporters published on the same node.
 * The tables list all accepted differences, each with the fault of the other exporter.
 */
class ExportersGoldenTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NO_UID = "00000000-0000-0000-0000-000000000000";

    /** A field with different values; {@code -} is an absent field. */
    private record Difference(String machine, String field, String theirs, String ours, String fault) {}

    private static final String TIMING = "an annotation about its timing: a write each time though nothing changed";
    private static final String MEMORY_ON_EVERY_NODE =
            "charges a memory block of several NUMA nodes whole to each of them (its fault 6)";
    private static final String LAST_NODE_OF_A_DEVICE =
            "takes a device of two NUMA nodes for one of the last listed, and shows less than none available (its fault 5)";

    private static final List<Difference> RTE = List.of(
            new Difference("*", "/metadata/annotations/k8stopoawareschedwg/rte-update", "periodic", "reactive", TIMING),
            new Difference("*", "/metadata/annotations/k8stopoawareschedwg/sleep-duration", "10s", "-", TIMING),
            new Difference("*", "/metadata/annotations/k8stopoawareschedwg/update-interval", "10s", "-", TIMING),
            new Difference(
                    "two-zones-best-effort",
                    "/zones/node-1/resources/memory/available",
                    "0",
                    "2101346304",
                    MEMORY_ON_EVERY_NODE),
            new Difference(
                    "four-zones-restricted",
                    "/zones/node-1/resources/memory/available",
                    "0",
                    "1698693120",
                    MEMORY_ON_EVERY_NODE));

    private static final List<Difference> NFD = List.of(
            new Difference(
                    "four-zones-restricted",
                    "/zones/node-2/resources/example.com/nic/available",
                    "1",
                    "0",
                    LAST_NODE_OF_A_DEVICE),
            new Difference(
                    "four-zones-restricted",
                    "/zones/node-3/resources/example.com/nic/available",
                    "-1",
                    "0",
                    LAST_NODE_OF_A_DEVICE));

    @TempDir
    private Path directory;

    private Path recordings;

    @BeforeEach
    void findTheRecordings() {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "skipped: NUMALEDGER_DATA does not name the directory with exporters-golden");
        recordings = Path.of(data).resolve("exporters-golden");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"two-zones-single", "two-zones-best-effort", "four-zones-restricted"})
    void annotatesPodsAsKaisExporterDoes(String machine) throws Exception {
        JsonNode recorded = JSON.readTree(
                recordings.resolve(machine).resolve("annotations-kai.json").toFile());
        TreeMap<String, String> expected = new TreeMap<>();
        recorded.properties()
                .forEach(pod ->
                        expected.put("default/" + pod.getKey(), pod.getValue().asText()));
        TreeMap<String, String> ours = new TreeMap<>();
        observe(machine, options(machine, "--kai-strict"))
                .byPod()
                .forEach((pod, records) -> ours.put(pod, text(records.get(0))));
        assertThat(ours).isEqualTo(expected);
    }

    private static String text(PodRecords records) {
        assertThat(records.placement()).isEmpty();
        return records.observed().orElse("null");
    }

    @ParameterizedTest(name = "{1} on {0}")
    @CsvSource({
        "two-zones-single, rte",
        "two-zones-best-effort, rte",
        "four-zones-restricted, rte",
        "two-zones-single, nfd",
        "two-zones-best-effort, nfd",
        "four-zones-restricted, nfd"
    })
    void publishesTheTopologyAsThatExporterDoesButForItsFaults(String machine, String profile) throws Exception {
        NodeOptions options = options(machine, "--nrt-profile=" + profile);
        boolean rte = profile.equals("rte");
        Owner owner = rte ? Owner.node(machine, NO_UID) : Owner.namespace("default", NO_UID);
        String text = NodeTopologyJson.write(observe(machine, options)
                .topology(
                        machine,
                        Optional.of(owner),
                        options.kubelet.settings(),
                        options.profile.profile().orElseThrow(),
                        List.of()));
        JsonNode recorded = JSON.readTree(
                recordings.resolve(machine).resolve("nrt-" + profile + ".json").toFile());
        assertThat(PublishedFields.of(JSON.readTree(text)))
                .isEqualTo(withoutFaults(machine, rte ? RTE : NFD, PublishedFields.of(recorded)));
    }

    private static SortedMap<String, String> withoutFaults(
            String machine, List<Difference> faults, SortedMap<String, String> recorded) {
        for (Difference difference : faults) {
            if (difference.machine().equals("*") || difference.machine().equals(machine)) {
                assertThat(recorded)
                        .as(difference.fault())
                        .contains(Map.entry(difference.field(), difference.theirs()));
                recorded.remove(difference.field());
                if (!difference.ours().equals("-")) {
                    recorded.put(difference.field(), difference.ours());
                }
            }
        }
        return recorded;
    }

    private NodeOptions options(String machine, String flag) throws IOException, InterruptedException {
        Path sysfs = directory.resolve("sys");
        unpack(recordings.resolve(machine).resolve("sysfs.tar.gz"), sysfs);
        return CommandLine.populateCommand(
                new NodeOptions(),
                flag,
                "--sysfs-root=" + sysfs,
                "--kubelet-config=" + recordings.resolve(machine).resolve("kubelet.yaml"),
                "--podresources-socket=" + directory.resolve("kubelet.sock"));
    }

    private static void unpack(Path archive, Path into) throws IOException, InterruptedException {
        Files.createDirectories(into);
        Process tar = new ProcessBuilder("tar", "xzf", archive.toString(), "-C", into.toString())
                .inheritIO()
                .start();
        assertThat(tar.waitFor()).as("tar unpacks %s", archive).isZero();
    }

    private Observation observe(String machine, NodeOptions options) throws Exception {
        NodeProbe.Reading reading = options.probe().probe();
        assertThat(reading.warnings()).isEmpty();
        try (RecordedKubelet kubelet =
                        new RecordedKubelet(recordings.resolve(machine), directory.resolve("kubelet.sock"));
                PodResourcesClient client =
                        options.kubeletClient(warning -> assertThat(warning).isEmpty())) {
            Observation seen = Observation.of(
                    reading,
                    KubeletAnswer.of(Optional.of(client.allocatable()), client.list(), Exclusions.NONE),
                    new TreeMap<>(),
                    options.kaiStrict);
            assertThat(seen.warnings()).isEmpty();
            return seen;
        }
    }
}
