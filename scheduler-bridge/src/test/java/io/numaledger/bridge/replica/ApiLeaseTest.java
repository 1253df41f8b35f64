package io.numaledger.bridge.replica;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.bridge.replica.ElectionLease.Seen;
import io.numaledger.bridge.watch.ClusterReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ApiLeaseTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private KubernetesClient client;
    private ApiLease lease;
    private long nanos;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(
                Optional.of(Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "%s"}}]
                users: [{name: u, user: {}}]
                contexts: [{name: x, context: {cluster: c, user: u, namespace: default}}]
                current-context: x
                """.formatted(server.url()))));
        lease = new ApiLease(client, "l", Duration.ofSeconds(15), () -> NOW);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private Lease stored() {
        return client.leases().inNamespace(client.getNamespace()).withName("l").get();
    }

    private void store(String spec) {
        client.resource("""
                apiVersion: coordination.k8s.io/v1
                kind: Lease
                metadata: {name: l, namespace: %s, labels: {kept: "yes"}}
                %s
                """.formatted(client.getNamespace(), spec)).create();
    }

    @Test
    void writesWhatPeopleRead() throws IOException {
        lease.write(Optional.empty(), "a_host:1");
        assertThat(stored().getSpec().getHolderIdentity()).isEqualTo("a_host:1");
        assertThat(stored().getSpec().getLeaseDurationSeconds()).isEqualTo(15);
        assertThat(stored().getSpec().getLeaseTransitions()).isZero();
        assertThat(stored().getSpec().getAcquireTime().toInstant()).isEqualTo(NOW);
        assertThat(stored().getSpec().getRenewTime().toInstant()).isEqualTo(NOW);
    }

    @Test
    void countsTransitionsAndKeepsTheTimeOfTheFirstWriteOfATerm() throws IOException {
        Optional<Seen> first = lease.write(Optional.empty(), "a");
        Optional<Seen> second = lease.write(first, "b");
        lease = new ApiLease(client, "l", Duration.ofSeconds(15), () -> NOW.plusSeconds(9));
        lease.write(second, "b");
        assertThat(stored().getSpec().getLeaseTransitions()).isOne();
        assertThat(stored().getSpec().getAcquireTime().toInstant()).isBefore(NOW.plusSeconds(1));
        assertThat(stored().getSpec().getRenewTime().toInstant()).isEqualTo(NOW.plusSeconds(9));
    }

    @Test
    void writesNothingOverAnotherVersion() throws IOException {
        Optional<Seen> first = lease.write(Optional.empty(), "a");
        assertThat(lease.write(Optional.empty(), "b")).as("it exists").isEmpty();
        lease.write(first, "c");
        assertThat(lease.write(first, "b")).as("it has changed").isEmpty();
        assertThat(lease.read().map(Seen::holder)).contains("c");
        client.resource(stored()).delete();
        assertThat(lease.write(first, "b")).as("it is deleted").isEmpty();
    }

    @Test
    void eachRenewalMakesANewVersionEvenIfTheClockStandsStill() throws IOException {
        Optional<Seen> first = lease.write(Optional.empty(), "a");
        Optional<Seen> second = lease.write(first, "a");
        Optional<Seen> third = lease.write(second, "a");
        assertThat(second).isNotEqualTo(first);
        assertThat(third).isNotEqualTo(second);
    }

    @Test
    void namesTheLeaseThatCannotBeRead() {
        server.faults().always(request -> request.method().equals("GET"), Fault.ErrorResponse.forbidden());
        assertThatThrownBy(lease::read)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot read the Lease: lease=%s/l: ".formatted(client.getNamespace()))
                .hasMessageEndingWith("; check that the API server runs, and the bridge's rights");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no spec                       |                                                                        | 0
            an empty spec                 | spec: {}                                                               | 0
            no holder                     | spec: {leaseDurationSeconds: 1000000000, leaseTransitions: 7}          | 0
            a duration of 32 years        | spec: {holderIdentity: x, leaseDurationSeconds: 1000000000}            | 15
            a duration of a second        | spec: {holderIdentity: x, leaseDurationSeconds: 1}                     | 15
            no duration and no time       | spec: {holderIdentity: x}                                              | 15
            a renewal in the far future   | spec: {holderIdentity: x, renewTime: "2126-01-01T00:00:00.000000Z"}    | 15
            a renewal in the far past     | spec: {holderIdentity: x, renewTime: "1926-01-01T00:00:00.000000Z"}    | 15
            the most transitions          | spec: {holderIdentity: x, leaseTransitions: 2147483647}                | 15
            """)
    void takesALeaseThatSomebodyElseHasWritten(String situation, String spec, long seconds) throws IOException {
        store(spec == null ? "" : spec);
        Election election = new Election(lease, "me", Leadership.LIMITS, () -> nanos);
        election.attempt();
        assertThat(election.term().isPresent()).isEqualTo(seconds == 0);
        nanos += Duration.ofSeconds(seconds).toNanos();
        election.attempt();
        assertThat(election.term()).isPresent();
        assertThat(stored().getSpec().getHolderIdentity()).isEqualTo("me");
        assertThat(stored().getSpec().getLeaseDurationSeconds()).isEqualTo(15);
        assertThat(stored().getMetadata().getLabels()).containsEntry("kept", "yes");
        election.release();
        assertThat(lease.read().map(Seen::holder)).contains("");
    }
}
