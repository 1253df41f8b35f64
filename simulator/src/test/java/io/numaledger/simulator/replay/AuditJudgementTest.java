package io.numaledger.simulator.replay;

import io.numaledger.apiobjects.recording.NodeYaml;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.simulator.hardware.ExampleNodes;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.SpecModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Two zones of 4 CPUs, CPU 0 reserved. A pod of 2 CPUs comes; without others it gets 1-2. */
class AuditJudgementTest {

    private static final String NODE = """
            nodes:
            - name: recorded
              kubelet: {topologyManagerPolicy: single-numa-node, memoryManagerPolicy: None, reservedSystemCPUs: "0"}
              numaNodes: [{id: 0, cores: 4, memory: 4Gi}, {id: 1, cores: 4, memory: 4Gi}]
            """;

    private static final String POD = """
            {"op":"admit","pod":{"name":"default/p","qosClass":"Guaranteed","containers":[{"name":"c",\
            "resources":{"cpu":"2","memory":"1Gi"},"limits":{"cpu":"2","memory":"1Gi"}}]},"result":%s}""";

    @TempDir
    private Path directory;

    private static String got(String cpus) {
        return cpus.equals("refused")
                ? "{\"admitted\":false,\"reason\":\"TopologyAffinityError\"}"
                : "{\"admitted\":true,\"containers\":{\"c\":{\"cpus\":\"%s\",\"devices\":{}}}}".formatted(cpus);
    }

    /** @param pods such as {@code a=1-2 b=4}; empty: none */
    private static String held(String pods, String source) {
        return pods.isEmpty()
                ? "[]"
                : "["
                        + String.join(
                                ",",
                                List.of(pods.split(" ")).stream()
                                        .map(pod -> pod.split("="))
                                        .map(pod ->
                                                "{\"name\":\"%s\",\"source\":\"%s\",\"containers\":{\"c\":{\"cpus\":\"%s\",\"memory\":[],\"devices\":{}}}}"
                                                        .formatted(pod[0], source, pod[1]))
                                        .toList())
                        + "]";
    }

    private static Recording recording(String held, String source, String predicted, String observed, String after) {
        return new Recording(
                NODE,
                "{\"held\":%s,\"decided\":%s}".formatted(held(held, source), POD.formatted(got(observed))),
                Optional.of("{\"predicted\":%s,\"after\":%s}".formatted(got(predicted), held(after, source))));
    }

    @ParameterizedTest(name = "{0}: {6}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            as predicted                            | ''    | observed | 1-2 | 1-2     | ''        | nobody
            another prediction than the model's     | ''    | observed | 2-3 | 1-2     | ''        | bridge
            the same, and the kubelet differs, too  | a=1   | observed | 1-2 | 2-3     | a=1       | bridge
            a record was wrong                      | a=3   | observed | 1-2 | 2-3     | a=1       | agent
            a prediction of another pod was wrong   | a=3   | reserved | 1-2 | 2-3     | a=1       | bridge
            a pod had come that nobody saw          | ''    | observed | 1-2 | 2-3     | a=1       | timing
            a pod had ended before                  | a=1   | observed | 2-3 | 1-2     | ''        | timing
            a CPU for two pods                      | a=1   | observed | 2-3 | 1-2     | a=1       | kubelet
            the node refuses for no known reason    | ''    | observed | 1-2 | refused | ''        | undecided
            """)
    void saysWhoErred(
            String situation,
            String held,
            String source,
            String predicted,
            String observed,
            String after,
            String erred) {
        AuditJudgement judgement = AuditJudgement.of(recording(held, source, predicted, observed, after));

        assertThat(judgement.erred()).as(judgement.sentences().toString()).hasToString(erred);
    }

    @Test
    void replayPrintsIt() throws IOException {
        Path file = directory.resolve("miss.zip");
        recording("a=3", "observed", "1-2", "2-3", "a=1").write(file);
        StringWriter out = new StringWriter();

        assertThat(new CommandLine(new ReplayCommand())
                        .setOut(new PrintWriter(out, true))
                        .execute(file.toString()))
                .isEqualTo(1);
        assertThat(out.toString().lines())
                .containsExactly(
                        file + " predictions=1 erred=agent",
                        "  in the state that was known later, the model decides as the kubelet",
                        "  pod=a source=observed before: c cpus=3 devices={} later: c cpus=1 devices={}");
    }

    static Stream<NodeSpec> specs() throws IOException {
        return Stream.concat(ExampleNodes.read().stream(), Stream.of(ExampleNodes.gb200()));
    }

    @ParameterizedTest
    @MethodSource("specs")
    void aModelledNodeIsTheSameAfterItWasWritten(NodeSpec spec) {
        KubeletModel model = SpecModel.start(spec);

        KubeletModel again = SpecModel.start(
                NodeSpecYaml.parse(NodeYaml.of("recorded", model).toString()).get(0));

        assertThat(again.machine().topology()).isEqualTo(model.machine().topology());
        assertThat(again.machine().devices()).isEqualTo(model.machine().devices());
        assertThat(again.rules().config()).isEqualTo(model.rules().config());
    }
}
