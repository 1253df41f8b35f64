package io.numaledger.bridge.state;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.objects.BindRequest;
import io.numaledger.bridge.snapshot.PlacementSource;
import io.numaledger.bridge.snapshot.PodHolding;
import io.numaledger.bridge.wire.CustomObjectReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Pods that KAI-Scheduler has given a node are charged there before its binder binds them. Nodes have two zones of 4 CPUs. */
class RequestedBindsTest {

    private static final String PENDING = ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", "", "", ", phase: Pending");

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void twoNodes() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.node("m"));
    }

    private static BindRequest request(String node, String more) {
        String json = """
                {"metadata": {"name": "p", "namespace": "default", "ownerReferences": [{"kind": "Pod", "uid": "uid-p"}]},
                 "spec": {"podName": "p", "selectedNode": "%s", "backoffLimit": 2,
                          "predictedNUMAZones": [{"zone": "node-1", "amount": {"cpu": "3"}}]}%s}""".formatted(node, more);
        try {
            return CustomObjectReader.bindRequest(new ObjectMapper().readTree(json));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<PodHolding> pods(String node) {
        return cluster.snapshot(node).pods();
    }

    @Test
    void chargesThePredictedZonesWhicheverComesFirst() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""));

        assertThat(pods("n")).hasSize(1);
        assertThat(pods("n").get(0).source()).isEqualTo(PlacementSource.RESERVED);
        assertThat(pods("n").get(0).placement().on(1).get("cpu")).isEqualTo(3000);

        cluster.deletePod("p");
        assertThat(pods("n")).isEmpty();
        cluster.apply(PENDING);
        assertThat(pods("n")).hasSize(1);
    }

    @Test
    void followsTheRequestToAnotherNodeAndToItsEnd() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""));
        cluster.state.bindRequestChanged(request("m", ""));

        assertThat(pods("n")).isEmpty();
        assertThat(pods("m")).hasSize(1);

        cluster.state.bindRequestDeleted("default/p");
        assertThat(pods("m")).isEmpty();
        assertThat(cluster.state.reservations()).isZero();
    }

    @Test
    void doesNotChargeARequestThatHasFailedForGood() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ", \"status\": {\"phase\": \"Failed\", \"failedAttempts\": 1}"));
        assertThat(pods("n")).as("is tried again").hasSize(1);

        cluster.state.bindRequestChanged(request("n", ", \"status\": {\"phase\": \"Failed\", \"failedAttempts\": 2}"));
        assertThat(pods("n")).isEmpty();
    }

    @Test
    void thePodStaysChargedWhenItIsBound() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""));
        cluster.apply(ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", "", "  nodeName: n", ", phase: Pending"));
        assertThat(pods("n")).hasSize(1);

        cluster.state.bindRequestDeleted("default/p");
        assertThat(pods("n")).hasSize(1);
    }

    @Test
    void aPodThatIsBoundElsewhereIsChargedThere() {
        cluster.apply(PENDING);
        cluster.state.bindRequestChanged(request("n", ""));
        cluster.apply(ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", "", "  nodeName: m", ", phase: Pending"));

        assertThat(pods("n")).isEmpty();
        assertThat(pods("m")).hasSize(1);
    }

    @Test
    void aRequestForAnEarlierPodOfThatNameChargesNothing() {
        cluster.apply(PENDING.replace("uid-p", "uid-other"));
        cluster.state.bindRequestChanged(request("n", ""));

        assertThat(pods("n")).isEmpty();
    }

    @Test
    void namesTheFieldThatIsMissing() {
        assertThatThrownBy(() -> request("", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a BindRequest has no spec.selectedNode: name=p");
    }
}
