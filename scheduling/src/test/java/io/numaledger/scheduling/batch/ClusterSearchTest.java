package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterSearchTest {

    private static final String CPU = "cpu: \"1\", memory: 1Gi";

    private final TestCluster cluster = new TestCluster();
    private final ClusterSearch search = new ClusterSearch(cluster.state, cluster.evaluator);

    ClusterSearchTest() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.node("offered"));
    }

    /** kube-scheduler refuses such a node (NodePorts): a nomination for it would be in vain. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            hostPort: 80                                    | hostPort: 80                                    | false
            hostPort: 80                                    | hostPort: 81                                    | true
            hostPort: 80                                    | containerPort: 80                               | true
            hostPort: 80, protocol: TCP                     | hostPort: 80                                    | false
            hostPort: 80, protocol: UDP                     | hostPort: 80                                    | true
            hostPort: 80, hostIP: 10.0.0.1                  | hostPort: 80, hostIP: 10.0.0.2                  | true
            hostPort: 80, hostIP: 10.0.0.1                  | hostPort: 80, hostIP: 10.0.0.1                  | false
            hostPort: 80, hostIP: 10.0.0.1                  | hostPort: 80                                    | false
            hostPort: 80                                    | hostPort: 80, hostIP: 10.0.0.1                  | false
            """)
    void findsNodesWhereNobodyHasTheHostPort(String running, String wanted, boolean found) {
        cluster.apply(withPort("runs", running, "nodeName: n"));
        PodFacts pod = ClusterYaml.parsePod(withPort("waits", wanted, ""));

        assertThat(search.taking(pod, List.of("n"), 1, cluster.state.budget(pod, 1)))
                .hasSize(found ? 1 : 0);
        assertThat(fitting(pod)).hasSize(found ? 1 : 0);
    }

    @Test
    void findsTheNodeWhenThePodWithThePortHasEnded() {
        cluster.apply(withPort("runs", "hostPort: 80", "nodeName: n"));
        PodFacts pod = ClusterYaml.parsePod(withPort("waits", "hostPort: 80", ""));
        assertThat(fitting(pod)).isEmpty();

        cluster.deletePod("runs");

        assertThat(fitting(pod)).containsExactly("n");
    }

    /** Of a container that runs as long as the pod, not of one that ends before. */
    @ParameterizedTest
    @CsvSource({"Always, false", "'', true"})
    void knowsThePortsOfSidecars(String restartPolicy, boolean found) {
        String init = "initContainers: [{name: i, %s ports: [{hostPort: 80}]}]"
                .formatted(restartPolicy.isEmpty() ? "" : "restartPolicy: Always,");
        cluster.apply(ClusterYaml.pod("runs", CPU, "", "  nodeName: n\n  " + init, ", phase: Running"));

        assertThat(fitting(ClusterYaml.parsePod(withPort("waits", "hostPort: 80", ""))))
                .hasSize(found ? 1 : 0);
    }

    private List<String> fitting(PodFacts pod) {
        List<String> offered = List.of("offered");
        return search.others(
                        pod,
                        NodeNames.of(cluster.state.index(), offered),
                        cluster.evaluate(offered, pod),
                        cluster.state.budget(pod, offered.size()))
                .fitting();
    }

    private static String withPort(String name, String port, String spec) {
        return ClusterYaml.pod(name, CPU, "", spec.isEmpty() ? "" : "  " + spec, "")
                .replace("image: x,", "image: x, ports: [{%s}],".formatted(port));
    }
}
