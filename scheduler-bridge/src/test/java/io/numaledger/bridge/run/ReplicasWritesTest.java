package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Writes of the replica that leads. */
class ReplicasWritesTest {

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private KubernetesClient client;
    private Replicas replicas;
    private PodFacts pod;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        replicas = new Replicas(new Replicas.Options(), client, new TestCluster().state, new Readiness(), () -> {});
        client.resource("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: a
                  namespace: default
                  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]
                spec: {schedulingGates: [{name: numaledger.io/group}], containers: [{name: c, image: x}]}
                """).create();
        pod = new ObjectReader()
                .pod(client.resources(PodObject.class)
                        .inNamespace("default")
                        .withName("a")
                        .get());
    }

    @AfterEach
    void stop() {
        replicas.close();
        client.close();
        server.close();
    }

    /** A write. */
    interface Write {
        void run(Replicas replicas, PodFacts pod) throws IOException;
    }

    static Stream<Arguments> writes() {
        Fault busy = Fault.ErrorResponse.tooManyRequests(Duration.ofHours(1));
        Fault unavailable = Fault.ErrorResponse.unavailable();
        Write evict = (replicas, pod) -> replicas.evictor().evict(pod);
        Write nominate = (replicas, pod) -> replicas.evictor().nominate(pod, "n");
        Write release = (replicas, pod) -> replicas.groupWriter().release(pod, "n", Optional.empty());
        Write preempt = (replicas, pod) -> replicas.groupWriter().preempt(pod);
        return Stream.of(
                arguments("an eviction that a disruption budget forbids", evict, busy),
                arguments("an eviction", evict, unavailable),
                arguments("a nomination", nominate, unavailable),
                arguments("a nomination, not for an hour", nominate, busy),
                arguments("the release of a pod of a group", release, unavailable),
                arguments("the eviction for a group", preempt, unavailable));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("writes")
    void areNotRepeatedWhenAnotherReplicaMayLead(String what, Write write, Fault fault) {
        server.faults().always(RecordedRequest::isWrite, fault);
        server.requests().clear();

        assertThatThrownBy(() -> write.run(replicas, pod)).isInstanceOf(IOException.class);

        assertThat(server.requests().writes()).as("attempts").hasSize(1);
    }
}
