package io.numaledger.agent.sysfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Captures of real machines from the hwloc project, against what hwloc's own expected outputs say about them. */
class HwlocCapturesTest {

    /** Without the two thirds of the files that no probe of CPUs and memory looks at. */
    private static final String UNPACK_EACH = """
            for capture; do
              tar -xjf "$capture" --exclude='*/sys/bus' --exclude='*/sys/class' --exclude='*/sys/block' \\
                --exclude='*/devices/pci*' --exclude='*/power' --exclude='*/cpufreq' --exclude='*/cpuidle' \\
                --exclude='*/memory[0-9]*' --exclude='*/index[01]' || exit
            done
            """;

    @TempDir
    private static Path unpacked;

    private static JsonNode truth;

    @BeforeAll
    static void unpackAll() throws IOException, InterruptedException {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "skipped: NUMALEDGER_DATA does not name the directory of recorded data");
        Path captures = Path.of(data, "hwloc");
        assumeTrue(Files.isDirectory(captures), () -> "skipped: no captures: path=" + captures);
        truth = new ObjectMapper().readTree(captures.resolve("truth.json").toFile());
        List<String> command = new ArrayList<>(List.of("sh", "-c", UNPACK_EACH, "unpack"));
        truth.forEach(machine ->
                command.add(captures.resolve(machine.get("tarball").asText()).toString()));
        Process tar = new ProcessBuilder(command)
                .directory(unpacked.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (tar.waitFor() != 0) {
            abort("skipped: tar and bzip2 are needed to unpack the captures: " + said);
        }
    }

    static Stream<String> machines() {
        return truth.properties().stream().map(entry -> entry.getKey());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("machines")
    void seesTheCpusOfTheMachine(String name) {
        MachineTopology machine = probe(name).topology();
        JsonNode expected = truth.get(name);

        assertThat(machine.onlineCpus()).hasToString(expected.get("online_cpus").asText());
        assertThat(machine.socketCount()).isEqualTo(expected.get("packages").asInt());
        assertThat(machine.coreCount()).isEqualTo(expected.get("cores").asInt());
        assertThat(machine.cpus()).hasSize(machine.onlineCpus().size());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("machines")
    void seesTheNumaNodesOfTheMachine(String name) {
        List<String> expected = new ArrayList<>();
        for (JsonNode node : truth.get(name).get("nodes")) {
            String cpus = node.path("own_cpus").asText(node.get("cpuset_list").asText());
            expected.add("%d: cpus=%s memoryBytes=%d"
                    .formatted(
                            node.get("os_index").asInt(),
                            cpus,
                            node.get("memory_bytes").asLong()));
        }

        assertThat(probe(name).topology().numaNodes())
                .extracting(node -> "%d: cpus=%s memoryBytes=%d"
                        .formatted(node.id(), node.cpus(), node.memoryBytes().orElseThrow()))
                .containsExactlyElementsOf(expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("machines")
    void seesTheHugepageSizesOfTheMachine(String name) {
        SortedSet<Long> expected = new TreeSet<>();
        truth.get(name)
                .get("sysfs_files_present")
                .get("nodeN_hugepages")
                .forEach(kib -> expected.add(kib.asLong() * 1024));

        SortedSet<Long> seen = new TreeSet<>();
        probe(name)
                .topology()
                .numaNodes()
                .forEach(node -> seen.addAll(node.hugepages().keySet()));
        assertThat(seen).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("machines")
    void seesTheDistancesByRealIds(String name) {
        JsonNode distances = truth.get(name).get("distances");
        assumeTrue(!distances.isNull(), "skipped: no distances are known of " + name);
        TreeMap<Integer, TreeMap<Integer, Integer>> expected = new TreeMap<>();
        JsonNode ids = distances.get("os_indexes");
        for (int from = 0; from < ids.size(); from++) {
            TreeMap<Integer, Integer> row = new TreeMap<>();
            for (int to = 0; to < ids.size(); to++) {
                row.put(
                        ids.get(to).asInt(),
                        distances.get("values").get(from).get(to).asInt());
            }
            expected.put(ids.get(from).asInt(), row);
        }

        TreeMap<Integer, Object> seen = new TreeMap<>();
        for (NumaNode node : probe(name).topology().numaNodes()) {
            seen.put(node.id(), node.distances());
        }
        assertThat(seen).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("machines")
    void warnsOnlyOfWhatACaptureLacks(String name) {
        Path cpus = sysfsRoot(name).resolve("devices/system/cpu/cpuN/online");
        assertThat(probe(name).warnings())
                .containsExactlyElementsOf(
                        name.equals("128ia64-17n4s2c")
                                ? List.of(
                                        "it is unknown whether CPUs are online: cpus=0-127 path=%s holds neither 0 nor 1; they are taken as online; compare with `lscpu -e`"
                                                .formatted(cpus))
                                : List.of());
    }

    private static ProbeResult probe(String name) {
        return new SysfsProbe(sysfsRoot(name)).probe();
    }

    private static Path sysfsRoot(String name) {
        return unpacked.resolve(truth.get(name).get("fs_root").asText()).resolve("sys");
    }
}
