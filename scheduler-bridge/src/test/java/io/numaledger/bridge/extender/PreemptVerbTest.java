package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Node {@code n} has two zones of 4 CPUs. Pod {@code a} holds 2 CPUs of zone 0, {@code b} 2 and {@code c} 1 of zone 1. */
class PreemptVerbTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** kube-scheduler calls no sooner for a pod whose victims it does not evict. */
    private static final Duration BACK_OFF = Duration.ofSeconds(2);

    private final Instant start = Instant.now();
    private Duration time = Duration.ZERO;
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> start.plus(time));
    private final PreemptVerb verb =
            new PreemptVerb(cluster.state, any -> false, () -> DisruptionBudgets.NONE, new NoListener());

    @BeforeEach
    void pods() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", "cpu: \"2\", memory: 1Gi", "1-2"),
                ClusterYaml.running("b", "n", "cpu: \"2\", memory: 1Gi", "5-6"),
                ClusterYaml.running("c", "n", "cpu: \"1\", memory: 1Gi", "7"));
    }

    private static String pod(int cpus, String spec) {
        return """
                {"metadata": {"name": "p", "namespace": "default", "uid": "uid-p"},
                 "spec": {%s "containers": [{"name": "c", "resources": {"limits": {"cpu": "%d", "memory": "1Gi"}}}]}}""".formatted(spec, cpus);
    }

    /** The victims on each node in the answer, as text. */
    private String answer(String pod, String nodes) throws IOException {
        String body =
                "{\"Pod\": %s, \"NodeNameToVictims\": null, \"NodeNameToMetaVictims\": {%s}}".formatted(pod, nodes);
        JsonNode answer = JSON.readTree(verb.answer(body.getBytes(StandardCharsets.UTF_8)));
        return answer.path("NodeNameToMetaVictims").toString();
    }

    private static String proposed(String node, String... uids) {
        return "\"%s\": {\"Pods\": [%s], \"NumPDBViolations\": 3}"
                .formatted(
                        node,
                        Arrays.stream(uids).map("{\"UID\": \"%s\"}"::formatted).collect(Collectors.joining(",")));
    }

    @Test
    void namesTheVictimsOfTheRightZone() throws IOException {
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n", "uid-c")))
                .isEqualTo("{\"n\":{\"Pods\":[{\"UID\":\"uid-a\"}],\"NumPDBViolations\":0}}");
    }

    @Test
    void leavesOutANodeWhereNoVictimsHelp() throws IOException {
        assertThat(answer(pod(5, "\"priority\": 10,"), proposed("n", "uid-a", "uid-b", "uid-c")))
                .isEqualTo("{}");
    }

    @Test
    void namesOnlyLessImportantPods() throws IOException {
        assertThat(answer(pod(4, "\"priority\": 0,"), proposed("n", "uid-a"))).isEqualTo("{}");
    }

    @Test
    void aListThatWasNotEmptyNeverBecomesEmpty() throws IOException {
        assertThat(answer(pod(2, "\"priority\": 10,"), proposed("n", "uid-a"))).isEqualTo("{}");
    }

    @Test
    void anEmptyListGetsTheVictimsThatTheZonesNeed() throws IOException {
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n"))).contains("uid-a");
        time = time.plus(BACK_OFF);
        assertThat(answer(pod(2, "\"priority\": 10,"), proposed("n")))
                .isEqualTo("{\"n\":{\"Pods\":[],\"NumPDBViolations\":0}}");
    }

    @Test
    void aPodThatNeverPreemptsGetsNoVictims() throws IOException {
        assertThat(answer(pod(4, "\"priority\": 10, \"preemptionPolicy\": \"Never\","), proposed("n", "uid-a")))
                .isEqualTo("{}");
    }

    @Test
    void nobodyEndsOnANodeWhoseKubeletRestarts() throws IOException {
        cluster.apply(ClusterYaml.restarting(ClusterYaml.node("n")));

        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n", "uid-c"))).isEqualTo("{}");
    }

    @Test
    void nobodyElseEndsWhileTheKubeletOfTheNominatedNodeRestarts() throws IOException {
        cluster.apply(
                ClusterYaml.restarting(ClusterYaml.node("n")),
                ClusterYaml.node("m"),
                ClusterYaml.running("d", "m", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("e", "m", "cpu: \"4\", memory: 1Gi", "5-8"));
        String nominated =
                pod(4, "\"priority\": 10,").replaceFirst("\\{", "{\"status\": {\"nominatedNodeName\": \"n\"},");

        assertThat(answer(nominated, proposed("m", "uid-d"))).isEqualTo("{}");
    }

    /** kube-scheduler calls again once the victim is deleted, and the kubelet may still hold its zone. */
    @Test
    void nobodyElseEndsWhileAnEarlierVictimLeavesTheNominatedNode() throws IOException {
        cluster.apply(
                ClusterYaml.node("m"),
                ClusterYaml.running("d", "m", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("e", "m", "cpu: \"4\", memory: 1Gi", "5-8"));
        String nominated =
                pod(4, "\"priority\": 10,").replaceFirst("\\{", "{\"status\": {\"nominatedNodeName\": \"n\"},");
        assertThat(answer(nominated, proposed("m", "uid-d"))).startsWith("{\"m\":");
        time = time.plus(BACK_OFF);

        cluster.apply(ClusterYaml.terminating(ClusterYaml.running("a", "n", "cpu: \"2\", memory: 1Gi", "1-2")));

        assertThat(answer(nominated, proposed("m", "uid-d"))).isEqualTo("{}");
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("m", "uid-d"))).startsWith("{\"m\":");
    }

    /** Node {@code m} is full of pods that kube-scheduler would evict. */
    private void anotherNode() {
        cluster.apply(
                ClusterYaml.node("m"),
                ClusterYaml.running("d", "m", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("e", "m", "cpu: \"4\", memory: 1Gi", "5-8"));
    }

    private static String seen(String status) {
        return ClusterYaml.pod("p", "cpu: \"4\", memory: 1Gi", "", "  priority: 10", ", phase: Pending" + status);
    }

    private static String evicted() {
        return ClusterYaml.terminating(ClusterYaml.running("a", "n", "cpu: \"2\", memory: 1Gi", "1-2"));
    }

    /** It cannot bind the pod before the victim's zone is free, and gives its nomination up. */
    @Test
    void nobodyElseEndsAfterKubeSchedulerHasEndedTheNomination() throws IOException {
        anotherNode();
        cluster.apply(seen(", nominatedNodeName: n"), evicted());
        cluster.apply(seen(""));

        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("m", "uid-d"))).isEqualTo("{}");
    }

    @Test
    void nobodyElseEndsBeforeTheNominationIsSeen() throws IOException {
        anotherNode();
        cluster.apply(seen(""));
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n", "uid-a"))).contains("uid-a");
        cluster.apply(evicted());

        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("m", "uid-d"))).isEqualTo("{}");
    }

    /** kube-scheduler tries again when it has seen the first victim end. */
    @Test
    void nobodyElseEndsBeforeAllVictimsAreSeenToEnd() throws IOException {
        anotherNode();
        cluster.apply(withPort("c", 1));
        String ports = needingPort(pod(4, "\"priority\": 10,"));
        assertThat(answer(ports, proposed("n", "uid-c"))).contains("uid-b").contains("uid-c");
        cluster.apply(ClusterYaml.terminating(ClusterYaml.running("c", "n", "cpu: \"1\", memory: 1Gi", "7")));

        assertThat(answer(ports, proposed("m", "uid-d"))).isEqualTo("{}");
    }

    /** {@code filter} keeps the nominated node for it: kube-scheduler has another reason against the node. */
    @Test
    void othersEndForAPodThatFitsItsNominatedNodeNow() throws IOException {
        anotherNode();
        cluster.apply(seen(", nominatedNodeName: n"));
        cluster.deletePod("a");

        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("m", "uid-d"))).startsWith("{\"m\":");
    }

    /** The nomination is seen later than kube-scheduler's next call. */
    @Test
    void nobodyElseEndsForTwoSecondsAfterVictimsWereNamed() throws IOException {
        anotherNode();
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n", "uid-a"))).contains("uid-a");
        cluster.deletePod("a");

        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("m", "uid-d"))).isEqualTo("{}");
        time = time.plus(BACK_OFF);
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("m", "uid-d"))).startsWith("{\"m\":");
    }

    /** Else kube-scheduler nominates both pods for one place, and each of them waits for the other one. */
    @Test
    void aVictimIsNamedForOnePodUntilItsNominationIsSeen() throws IOException {
        String first = pod(4, "\"priority\": 10,");
        String second = first.replace("\"p\"", "\"q\"").replace("uid-p", "uid-q");
        assertThat(answer(first, proposed("n", "uid-a"))).contains("uid-a");

        assertThat(answer(second, proposed("n", "uid-a"))).isEqualTo("{}");
        time = time.plus(BACK_OFF);
        assertThat(answer(second, proposed("n", "uid-a"))).contains("uid-a");
    }

    /** kube-scheduler has chosen the same victim for both. If nobody else were named, it would clear the nomination and wait for an event. */
    @Test
    void othersEndAtOnceForAPodWhoseVictimMadeRoomForAnother() throws IOException {
        anotherNode();
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n", "uid-a"))).contains("uid-a");
        cluster.apply(ClusterYaml.pod(
                "another", "cpu: \"4\", memory: 1Gi", "", "  priority: 10", ", phase: Pending, nominatedNodeName: n"));
        cluster.deletePod("a");

        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("m", "uid-d"))).startsWith("{\"m\":");
    }

    @Test
    void nodesWithoutZonesKeepWhatWasProposed() throws IOException {
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("unknown", "uid-x")))
                .isEqualTo("{\"unknown\":{\"Pods\":[{\"UID\":\"uid-x\"}],\"NumPDBViolations\":3}}");
        cluster.state.topologyDeleted("n");
        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n", "uid-a")))
                .as("held until its zones are back")
                .isEqualTo("{}");
    }

    /** kube-scheduler proposed it for that, and accepts the node only without it. */
    @Test
    void aProposedVictimWithAntiAffinityAgainstThePodEndsInAnyCase() throws IOException {
        String term = "{labelSelector: {matchLabels: {app: web}}, topologyKey: kubernetes.io/hostname}";
        cluster.apply(ClusterYaml.running("c", "n", "cpu: \"1\", memory: 1Gi", "7")
                .replace(
                        "  nodeName",
                        "  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [%s]}}\n  nodeName"
                                .formatted(term)));
        String web = pod(4, "\"priority\": 10,").replace("\"uid-p\"", "\"uid-p\", \"labels\": {\"app\": \"web\"}");

        assertThat(answer(pod(4, "\"priority\": 10,"), proposed("n", "uid-c"))).doesNotContain("uid-c");
        time = time.plus(BACK_OFF);
        assertThat(answer(web, proposed("n", "uid-c"))).contains("uid-b").contains("uid-c");
    }

    @ParameterizedTest
    @CsvSource({"1, b c", "2, a"})
    void thePodWhoseHostPortThePodNeedsEnds(int port, String ending) throws IOException {
        cluster.apply(withPort("c", port));

        String answer = answer(needingPort(pod(4, "\"priority\": 10,")), proposed("n", "uid-c"));

        assertThat(Stream.of("a", "b", "c").filter(name -> answer.contains("uid-" + name)))
                .containsExactly(ending.split(" "));
    }

    private static String needingPort(String pod) {
        return pod.replace("\"name\": \"c\",", "\"name\": \"c\", \"ports\": [{\"hostPort\": 1}],");
    }

    private static String withPort(String name, int port) {
        return ClusterYaml.running(name, "n", "cpu: \"1\", memory: 1Gi", "7")
                .replace("image: x,", "image: x, ports: [{containerPort: 80, hostPort: %d}],".formatted(port));
    }

    @Test
    void readsWholePodsFromASchedulerWithoutNodeCache() throws IOException {
        String body = """
                {"Pod": %s, "NodeNameToVictims": {"unknown": {"Pods": [{"metadata": {"uid": "uid-x"}}]}}}""".formatted(pod(4, ""));

        assertThat(new String(verb.answer(body.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"NodeNameToMetaVictims\":{\"unknown\":{\"Pods\":[{\"UID\":\"uid-x\"}],\"NumPDBViolations\":0}}}");
    }

    @Test
    void saysWhatIsWrongWithAMalformedRequest() {
        assertThatThrownBy(() -> verb.answer("{".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed request: ");
        assertThatThrownBy(() -> verb.answer("{}".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("malformed request: Pod is missing; send ExtenderPreemptionArgs as JSON");
    }
}
