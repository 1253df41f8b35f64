package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.queue.PendingPodQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/** Node {@code n} has two zones of 4 CPUs. Pod {@code a} fills zone 0 and terminates, because {@code first} is nominated for the node. */
class NominatedPodsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String A = ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "1-4");
    private static final String FIRST = ClusterYaml.pod(
                    "first", "cpu: \"4\", memory: 1Gi", "", "", ", phase: Pending, nominatedNodeName: n")
            .replaceFirst("spec:\n", "spec:\n  priority: 10\n");

    private final TestCluster cluster = new TestCluster();
    private final PendingPodQueue queue =
            new PendingPodQueue(cluster.state, cluster.evaluator, Duration.ZERO, System::nanoTime, (pod, node) -> {});
    private final FilterVerb filter = new FilterVerb(
            cluster.state,
            cluster.evaluator,
            queue,
            Gangs.none(cluster.state),
            new NoListener(),
            ZoneRefusals.unresolvable,
            CandidateLimit.DEFAULT);

    @BeforeEach
    void pods() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.terminating(A),
                ClusterYaml.running("b", "n", "cpu: \"3\", memory: 1Gi", "5-7"),
                FIRST);
    }

    private JsonNode filter(String name, int cpus, String more) throws IOException {
        String body = """
                {"Pod": {"metadata": {"name": "%1$s", "namespace": "default", "uid": "uid-%1$s"},
                         "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "%2$d", "memory": "1Gi"}}}]},
                         "status": {"qosClass": "Guaranteed"%3$s}}, "NodeNames": ["n"]}""".formatted(name, cpus, more);
        return JSON.readTree(filter.answer(body.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void theNodeOfANominatedPodIsKeptForItWhileItsVictimsTerminate() throws IOException {
        assertThat(filter("first", 4, ", \"nominatedNodeName\": \"n\"").path("NodeNames"))
                .hasToString("[\"n\"]");
        assertThat(filter("second", 4, "").path("NodeNames"))
                .as("nobody is evicted for it there")
                .isEmpty();
    }

    /** The zone of the victim is not free yet: the pod gets the last CPU of the other zone, which the nominated pod does not need. */
    @Test
    void othersGetOnlyWhatTheNominatedPodDoesNotNeed() throws IOException {
        assertThat(filter("small", 1, "").path("NodeNames")).hasToString("[\"n\"]");

        cluster.deletePod("a");
        JsonNode refused = filter("younger", 2, "");
        assertThat(refused.path("NodeNames")).isEmpty();
        assertThat(refused.toString()).contains("NUMA: reserved for a pod that is nominated for the node");
    }

    @Test
    void theyGetAllWhenThePodIsNominatedNoMore() throws IOException {
        cluster.deletePod("a");
        long before = cluster.state.versions().last();
        cluster.apply(FIRST.replace(", nominatedNodeName: n", ""));

        assertThat(cluster.state.versions().last())
                .as("waiting pods are tried again")
                .isGreaterThan(before);
        assertThat(filter("younger", 2, "").path("NodeNames")).hasToString("[\"n\"]");
    }

    /** If its node were refused, kube-scheduler would evict pods of another one for it. */
    @Test
    void thePodIsStillAwaitedThereWhenABindHasEndedItsNomination() throws IOException {
        cluster.apply(FIRST.replace(", nominatedNodeName: n", ""));

        assertThat(filter("first", 4, "").path("NodeNames")).hasToString("[\"n\"]");
        assertThat(filter("second", 4, "").path("NodeNames")).isEmpty();

        cluster.deletePod("first");
        cluster.apply(FIRST.replace(", nominatedNodeName: n", ""));
        assertThat(filter("first", 4, "").path("NodeNames"))
                .as("another pod of the name")
                .isEmpty();
    }

    /** kube-scheduler tries the pod again as soon as its victims are deleted; the nomination is seen later. */
    @Test
    void thePodIsAwaitedWhereAllVictimsThatWereNamedForItEndAlsoBeforeItsNominationIsSeen() throws IOException {
        cluster.apply(
                ClusterYaml.node("m"),
                A,
                A.replace("name: a,", "name: c,").replace("uid-a", "uid-c").replace("nodeName: n", "nodeName: m"));
        PodFacts third = ClusterYaml.pending("third", "cpu: \"4\", memory: 1Gi");
        PodFacts a = cluster.state.pods().get("default/a").orElseThrow();
        PodFacts c = cluster.state.pods().get("default/c").orElseThrow();
        cluster.deletePod("first");
        cluster.state.nominated().victimsNamed(third, Map.of("n", List.of(a), "m", List.of(c)));

        assertThat(filter("third", 4, "").path("NodeNames")).as("nobody ends").isEmpty();
        cluster.apply(ClusterYaml.terminating(A));
        assertThat(cluster.state.nominated().nodeOf(third)).contains("n");
        assertThat(filter("third", 4, "").path("NodeNames")).hasToString("[\"n\"]");
        assertThat(filter("second", 4, "").path("NodeNames")).isEmpty();
    }

    @Test
    void bindWaitsUntilTheVictimsHaveReleasedTheirZones() throws IOException {
        BindVerb bind = new BindVerb(
                cluster.state,
                Gangs.none(cluster.state),
                new Bound(),
                new NoListener(),
                System::nanoTime,
                Set.of(PodFacts.DEFAULT_SCHEDULER));
        byte[] body =
                "{\"PodName\": \"first\", \"PodNamespace\": \"default\", \"PodUID\": \"uid-first\", \"Node\": \"n\"}"
                        .getBytes(StandardCharsets.UTF_8);
        CompletableFuture<byte[]> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return bind.answer(body);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        cluster.deletePod("a");

        assertThat(new String(answer.join(), StandardCharsets.UTF_8)).isEqualTo("{\"Error\":\"\"}");
    }

    /** Accepts every binding. */
    private static final class Bound implements Binder {

        @Override
        public Optional<PodFacts> read(String namespace, String name, String uid) {
            return Optional.empty();
        }

        @Override
        public Optional<ResourceClaim> readClaim(String namespace, String name) {
            return Optional.empty();
        }

        @Override
        public void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) {}
    }
}
