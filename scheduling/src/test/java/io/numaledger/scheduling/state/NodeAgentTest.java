package io.numaledger.scheduling.state;

import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

/** A kubelet may be started with other options while the node's agent is away. */
class NodeAgentTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> now);

    @BeforeEach
    void node() {
        cluster.apply(ClusterYaml.node("n"));
    }

    private void agent(boolean ready) {
        cluster.apply(ClusterYaml.pod(
                "agent",
                "memory: 1Gi",
                ", labels: {app.kubernetes.io/name: numaledger, app.kubernetes.io/component: agent}",
                "  nodeName: n",
                ", phase: Running, conditions: [{type: Ready, status: \"%s\"}]".formatted(ready ? "True" : "False")));
    }

    private boolean isAway() {
        return cluster.snapshot("n").assumptions().contains(Assumption.of(Assumption.Kind.AGENT_AWAY));
    }

    @Test
    void isAwayAfterAWhileAndComesBack() {
        agent(true);
        now = now.plus(NodeAgent.LIMIT);
        assertThat(isAway()).isFalse();

        agent(false);
        now = now.plus(NodeAgent.LIMIT).minusMillis(1);
        assertThat(isAway()).as("it may just be replaced").isFalse();
        now = now.plusMillis(1);
        assertThat(isAway()).isTrue();

        agent(true);
        assertThat(isAway()).isFalse();
    }

    @Test
    void isAwayWhenItsPodIsGone() {
        agent(true);
        cluster.deletePod("agent");
        now = now.plus(NodeAgent.LIMIT);

        assertThat(isAway()).isTrue();
    }

    @Test
    void isNotAwayWhereNoPodWasSeen() {
        now = now.plus(NodeAgent.LIMIT);

        assertThat(isAway()).isFalse();
    }
}
