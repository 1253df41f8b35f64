package io.numaledger.agent.run;

import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.fake.fault.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** Faults of other exporters at the API server. The comment of each test names the exporter. */
class ApiFaultsTest {

    @TempDir
    private Path directory;

    private AgentOnServer agent;

    @BeforeEach
    void publishOnePod() throws IOException {
        agent = new AgentOnServer(directory, false);
        agent.run("p");
        agent.kubelet.lists(holder("p", "1-2", 1));
        assertThat(agent.reconcile().errors()).isEmpty();
        agent.writes();
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    /** nfd-topology-updater ends after any failed apply, such as an outage, a refusal by a webhook, or a conflict. */
    @ParameterizedTest(name = "status {0}")
    @ValueSource(ints = {400, 409, 422, 500, 503})
    void goesOnWhenATopologyIsNotTaken(int status) throws IOException {
        agent.server
                .faults()
                .once(
                        request -> request.isWrite() && request.path().equals(AgentOnServer.NRT),
                        new Fault.ErrorResponse(status, "Refused", Optional.empty()));
        agent.kubelet.lists(holder("p", "1-4", 1));
        assertThat(agent.reconcile().errors())
                .singleElement()
                .asString()
                .startsWith("cannot publish the NodeResourceTopology of node worker: ");
        assertThat(agent.annotations("p").get(Annotations.OBSERVED)).contains("\"cpu\":\"4\"");
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.available(0, "cpu")).isEqualTo(3000);
    }

    /** KAI's exporter patches a deleted pod once a second while the kubelet lists it. */
    @Test
    void patchesNoPodThatIsGone() throws IOException {
        agent.delete(AgentOnServer.pod("p") + "?gracePeriodSeconds=0");
        agent.reconcile();
        agent.writes();
        for (int second = 0; second < 60; second++) {
            agent.reconcile();
        }
        assertThat(agent.writes()).isEmpty();
    }

    /** resource-topology-exporter lists all nodes for one UID, and with refresh-node-resources watches all of them. */
    @Test
    void asksForNoNodeButItsOwn() throws IOException {
        agent.server.requests().clear();
        agent.delete(AgentOnServer.NRT);
        agent.reconcileEverything(Duration.ofMinutes(1));
        assertThat(agent.server.requests().matching(request -> request.path().startsWith("/api/v1/nodes")))
                .isNotEmpty()
                .allSatisfy(request -> assertThat(request.path()).isEqualTo("/api/v1/nodes/worker"));
    }
}
