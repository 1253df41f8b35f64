package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A device plugin that gives one GPU to a container, as NVIDIA's does with shared GPUs: no zone tells that. */
class PluginRefusalIT {

    private static final String SENTENCE =
            "the kubelet rejected an equal pod (UnexpectedAdmissionError: Allocate failed due to rpc error: code = Unknown"
                    + " desc = request for 'nvidia.com/gpu: 2' too large: maximum request size for shared resources is 1, which is unexpected)";

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: n
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
              devices: [{resource: nvidia.com/gpu, count: 4, numaNodes: [0], maxPerContainer: 1}]
            """, List.of()));

    private static void create(String name, int gpus) {
        nodes.pods().create(SimplePod.named(name).with("c", "cpu=1", "memory=1Gi", "nvidia.com/gpu=" + gpus));
    }

    private static Pod pod(String name) {
        return nodes.pods().byName().get(name);
    }

    /** As the controller of a Job or ReplicaSet would create one after the other. */
    @Test
    void saysWhatThePluginSaidWhileEqualPodsWait() {
        create("a", 2);
        awaitRefused("a");
        create("b", 2);
        awaitSentence("b");
        awaitRefused("b");
        create("c", 2);
        awaitRefused("c");
        create("d", 2);
        awaitSentence("d");

        assertThat(nodes.client().v1().events().inNamespace("default").list().getItems())
                .anySatisfy(event -> {
                    assertThat(event.getReason()).isEqualTo("NumaUnschedulable");
                    assertThat(event.getInvolvedObject().getName()).isEqualTo("d");
                    assertThat(event.getMessage()).contains(SENTENCE);
                });
        Explanation explained = Explanation.ofAll(
                        nodes.bridge().cluster(),
                        nodes.bridge().cluster().pods().get("default/d").orElseThrow())
                .get(0);
        assertThat(explained.evaluation().refused())
                .hasValueSatisfying(why -> assertThat(PodNames.of("default").text(why.message()))
                        .startsWith(SENTENCE + "; the next attempt is at 2"));
        create("one", 1);
        nodes.awaitRunning("one", 1);
    }

    private static void awaitRefused(String name) {
        await(name)
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> Optional.ofNullable(pod(name).getStatus().getReason())
                        .filter("UnexpectedAdmissionError"::equals)
                        .isPresent());
    }

    private static void awaitSentence(String name) {
        await(name)
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> Stream.ofNullable(pod(name).getStatus().getConditions())
                        .flatMap(all -> all.stream())
                        .anyMatch(condition -> condition.getType().equals("PodScheduled")
                                && String.valueOf(condition.getMessage()).contains("NUMA: " + SENTENCE)));
    }
}
