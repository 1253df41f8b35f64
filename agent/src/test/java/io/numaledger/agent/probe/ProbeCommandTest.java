package io.numaledger.agent.probe;

import io.numaledger.agent.sysfs.SysfsTree;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class ProbeCommandTest {

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private SysfsTree tree;

    @BeforeEach
    void makeTree() {
        tree = new SysfsTree(directory);
    }

    private int probe(String... flags) {
        CommandLine command =
                new CommandLine(new ProbeCommand()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return command.execute(flags);
    }

    private String root() {
        return "--sysfs-root=" + tree.sysfsRoot();
    }

    @Test
    void printsATableForPeople() {
        tree.twoNodes().file("node/node0/hugepages/hugepages-1048576kB/nr_hugepages", "2");

        assertThat(probe(root())).isZero();
        assertThat(out).hasToString("""
                8 online CPUs, 4 cores, 2 threads per core, 2 sockets, 2 L3 caches, 2 NUMA nodes

                NODE  CPUS   MEMORY  HUGEPAGES         CPU IDS
                   0     4  8.0 GiB  2Mi x 512, 1Gi x 2  0-3
                   1     4  4.0 GiB  -                   4-7

                DISTANCE   0   1
                       0  10  21
                       1  21  10
                """.replace("HUGEPAGES         CPU", "HUGEPAGES           CPU"));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void printsOneLineOfJson() {
        tree.twoNodes();

        assertThat(probe(root(), "-o", "json")).isZero();
        assertThat(out)
                .hasToString(
                        "{\"onlineCpus\":\"0-7\",\"numaNodes\":["
                                + "{\"id\":0,\"cpus\":\"0-3\",\"memoryBytes\":8589934592,\"hugepages\":{\"2097152\":512},"
                                + "\"distances\":{\"0\":10,\"1\":21}},"
                                + "{\"id\":1,\"cpus\":\"4-7\",\"memoryBytes\":4294967296,\"distances\":{\"0\":21,\"1\":10}}]}\n");
    }

    @Test
    void leavesOutOfTheJsonWhatIsUnknownAndWarnsOfItOnStderr() {
        tree.file("node/node0/cpulist", "0-1\n").file("node/node250/cpulist", "\n");

        assertThat(probe(root(), "--output=json")).isZero();
        assertThat(out)
                .hasToString(
                        "{\"onlineCpus\":\"0-1\",\"numaNodes\":[{\"id\":0,\"cpus\":\"0-1\"},{\"id\":250,\"cpus\":\"\"}]}\n");
        assertThat(err.toString().lines())
                .hasSize(4)
                .anyMatch(line -> line.startsWith("memory of NUMA nodes not known: numaNodes=0,250 have no meminfo"));
    }

    @Test
    void showsADashForWhatIsUnknown() {
        tree.file("node/node0/cpulist", "0-1\n").file("node/node250/cpulist", "\n");

        probe(root());
        assertThat(out).hasToString("""
                2 online CPUs, 2 NUMA nodes

                NODE  CPUS  MEMORY  HUGEPAGES  CPU IDS
                   0     2       -          -  0-1
                 250     0       -          -  -
                """);
    }

    @Test
    void takesTheMemoryOfAMachineWithoutNumaFromTheGivenProcRoot() {
        tree.file("cpu/online", "0\n").cpu(0, "0", 0).procFile("meminfo", "MemTotal: 1 kB\n");
        tree.procFile("other/meminfo", "MemTotal: 2 kB\n");

        assertThat(probe(
                        root(),
                        "-o",
                        "json",
                        "--proc-root",
                        directory.resolve("proc/other").toString()))
                .isZero();
        assertThat(out.toString()).contains("\"memoryBytes\":2048");
    }

    @Test
    void exitsWithOneWhenNothingCouldBeRead() {
        assertThat(probe(root(), "-o", "json")).isEqualTo(1);
        assertThat(out).hasToString("{\"numaNodes\":[]}\n");
        assertThat(err.toString()).startsWith("found no online CPU: path=" + tree.path("cpu"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            -o yaml    | Invalid value for option '--output': expected table or json but was 'yaml'
            -o         | Missing required parameter for option '--output' (FORMAT)
            --sysfs=/  | Unknown option: '--sysfs=/'
            now        | Unmatched argument at index 0: 'now'
            """)
    void exitsWithTwoOnWrongFlags(String flags, String sentence) {
        assertThat(probe(flags.split(" "))).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).startsWith(sentence);
    }
}
