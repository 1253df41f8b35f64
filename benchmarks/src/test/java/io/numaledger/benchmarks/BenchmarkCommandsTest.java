package io.numaledger.benchmarks;

import io.numaledger.cli.TerminalWriter;
import io.numaledger.simulator.cluster.KubeBinaries;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Each command, as small as it gets: it prints its figures, and its exit status is 0. */
class BenchmarkCommandsTest {

    private static final int NODES = 2;
    private static final int PODS = 8;

    @TempDir
    Path directory;

    private static String run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = TerminalWriter.execute(
                BenchmarksMain.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)), arguments);
        assertThat(status).as("%s%n%s", out, err).isZero();
        return out.toString();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            filter 60 300 plain --names 20 --calls 20 --warm-up 20  | measured: AGAIN calls=20 p50_ms=.* cpu_ms=.* answer_kb=.*
            filter 60 300 plain --names 20 --calls 20 --warm-up 20 --costly-pods 2 | measured: AGAIN calls=20 p50_ms=.* cpu_ms=.* answer_kb=.*
            fleet 20 100 mixed 20 1 5 20                            | measured: load calls=20 rate=20 .* p50_ms=.* p99_ms=.*
            stranded 17 34 --events 1     | measured: all: n=17 us_mean=.* us_p50_p99_max=.*
            rehearse 20 100 --drains 1    | measured: change of 20 nodes by drain: ms=.* cpu_ms=.* peak_heap_mib=.* \\{.*moves=.*}
            capacity simple --seeds 1 --samples 1                   | measured: mix=simple rules=sample=1 ran_first_seed=.* wait_ms_p50_p90_p99=.*
            claims --pods 8 --runs oracle                           | run=oracle aligned=8 misaligned=0 refused=0 waiting=0
            claims --pods 8 --runs node_oracle                      | run=node-oracle aligned=4 misaligned=0 refused=0 waiting=4
            """)
    void runsWithoutKubernetes(String command, String figures) {
        assertThat(run(command.split(" "))).containsPattern("(?m)^" + figures + "$");
    }

    @Test
    void capacityComparesAllRules() {
        assertThat(run("capacity", "simple", "--seeds", "1").lines())
                .hasSize(16)
                .allMatch(line -> line.startsWith("measured: mix="))
                .anyMatch(line -> line.startsWith("measured: mix=simple rules=order=LARGEST,no-hold "));
    }

    @Test
    void jmhRunsABenchmark() {
        assumeTrue(
                getClass().getResource("/joptsimple/OptionParser.class") != null,
                "skipped: the class path has JMH without the libraries that it needs");
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            run(
                    "jmh",
                    "FastPathBenchmark.verdict$",
                    "-f",
                    "0",
                    "-wi",
                    "0",
                    "-i",
                    "1",
                    "-r",
                    "10ms",
                    "-p",
                    "shape=2-single-1");
        } finally {
            System.setOut(before);
        }

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("FastPathBenchmark.verdict")
                .contains("ns/op");
    }

    private String trace() throws IOException {
        gzip(
                "openb_node_list_gpu_node.csv.gz",
                "sn,cpu_milli,memory_mib,gpu,model\n",
                "n%d,64000,262144,2,P100\n",
                NODES);
        gzip(
                "openb_pod_list_default.csv.gz",
                "name,cpu_milli,memory_mib,num_gpu,creation_time,deletion_time\n",
                "p%d,4000,1024,1,0,100\n",
                PODS);
        return directory.toString();
    }

    private void gzip(String name, String head, String row, int rows) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(directory.resolve(name)))) {
            out.write(head.getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < rows; i++) {
                out.write(row.formatted(i).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"fill, 4", "times, 8"})
    void traceRunsInSimulatedTime(String arrivals, int pods) throws IOException {
        assertThat(run("trace", trace(), "--arrivals", arrivals).lines())
                .hasSize(8)
                .allMatch(line -> line.startsWith("measured: trace list=default arrivals=" + arrivals)
                        && line.contains(" nodes=2 pods=%d fit_no_empty_node=0 ran=".formatted(pods)));
    }

    private static void requireKubernetes() {
        assumeTrue(
                KubeBinaries.fromEnvironment().isPresent(),
                "skipped: set %s to a directory with a kubelet and the control plane".formatted(KubeBinaries.VARIABLE));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            scheduler 5 10 --warm-up 5 --runs=-1         | measured: nodes=5 run=alone .* bound=1. .*
            scheduler 5 10 --warm-up 5 --runs=100        | measured: nodes=5 run=max_candidates:100 .* bound=1. .*
            scheduler 5 10 --warm-up 5 --real-api --runs=-1         | measured: nodes=5 run=alone .* api_server_cpu_ms_per_pod=.*
            churn arriving --pods 3 --runs alone                                | measured: churn=arriving scheduler=alone pods=3 ran=3 .*
            churn priorities --pods 5 --runs bridged                            | measured: churn=priorities seed=20261121 scheduler=bridged .*
            groups --groups 1 --runs bridged                                    | measured: groups scheduler=bridged .* groups=1 ran=1 .*
            claims --pods 8 --runs required                                     | run=required aligned=. misaligned=0 refused=0 .* binds_total.*
            footprint --pods 50 --idle 1 --idle-only                            | CPU idle, microcores .*
            soak --minutes 0                                                    | soak: seed=1 agents=.*
            """)
    void runsWithRealBinaries(String command, String figures) {
        requireKubernetes();
        assertThat(run(command.split(" "))).containsPattern("(?m)^" + figures + "$");
    }

    @Test
    void schedulerComparesAPeer() throws IOException {
        requireKubernetes();
        Path peer = Files.writeString(directory.resolve("peer.yaml"), """
                name: packing
                program: %s
                configuration:
                  apiVersion: kubescheduler.config.k8s.io/v1
                  kind: KubeSchedulerConfiguration
                  profiles:
                  - schedulerName: default-scheduler
                    pluginConfig:
                    - name: NodeResourcesFit
                      args: {scoringStrategy: {type: MostAllocated}}
                """.formatted(
                        KubeBinaries.required().of("kube-scheduler")));
        assertThat(run("scheduler", "5", "10", "--warm-up", "5", "--runs=-1", "--peer", peer.toString()))
                .containsPattern("(?m)^measured: nodes=5 run=alone .* bound=1. ")
                .containsPattern("(?m)^measured: nodes=5 run=packing .* bound=1. ");
    }

    @Test
    void saysWhatADescriptionOfAPeerLacks() throws IOException {
        requireKubernetes();
        Path peer = Files.writeString(directory.resolve("peer.yaml"), "name: packing\n");
        StringWriter err = new StringWriter();
        int status = TerminalWriter.execute(
                BenchmarksMain.commandLine().setErr(new PrintWriter(err)), "scheduler", "--peer", peer.toString());
        assertThat(status).isNotZero();
        assertThat(err.toString())
                .contains("not a description of a scheduler: file=" + peer)
                .contains("'program'");
    }

    @Test
    void traceRunsWithARealScheduler() throws IOException {
        requireKubernetes();
        assertThat(run("trace", trace(), "--real").lines())
                .hasSize(2)
                .allMatch(line -> line.contains(" pods=4 fit_no_empty_node=0 ran=4 "));
    }
}
