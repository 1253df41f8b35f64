package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.PredictedAllocation;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.scheduling.healing.Controllers.Controller;
import io.numaledger.scheduling.queue.Requeuer;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What the bridge writes about a pod: bindings, events, and the condition that requests a retry. */
class PodWritesTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.5Z");

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private KubernetesClient client;
    private final List<String> failed = new ArrayList<>();
    private final AtomicInteger lost = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private PodFacts create(String name) throws IOException {
        client.resource("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec: {containers: [{name: c, image: example.com/app:1}]}
                """.formatted(name)).create();
        return new ApiBinder(client)
                .read("default", name, stored(name).getMetadata().getUid())
                .orElseThrow();
    }

    @Test
    void findsTheControllerOfAPod() throws IOException {
        PodFacts bare = create("bare");
        PodFacts owned = create("owned");
        client.pods()
                .inNamespace("default")
                .withName("owned")
                .edit(pod -> pod.edit()
                        .editMetadata()
                        .addToOwnerReferences(owner("Owner", false), owner("ReplicaSet", true))
                        .endMetadata()
                        .build());
        ApiEvictor evictor = new ApiEvictor(client);

        assertThat(evictor.controller(bare)).isEmpty();
        assertThat(evictor.controller(owned).map(Controller::uid)).contains("uid-ReplicaSet");
        evictor.evict(owned);
        assertThat(evictor.controller(owned)).isEmpty();
    }

    private static OwnerReference owner(String kind, boolean controller) {
        return new OwnerReferenceBuilder()
                .withApiVersion("apps/v1")
                .withKind(kind)
                .withName("o")
                .withUid("uid-" + kind)
                .withController(controller)
                .build();
    }

    private Pod stored(String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    private void delete(String name) {
        client.pods().inNamespace("default").withName(name).withGracePeriod(0).delete();
    }

    private List<Event> events() {
        return client.v1().events().inNamespace("default").list().getItems();
    }

    @Test
    void bindsAndWritesThePredictedPlacementInOneStep() throws IOException {
        PodFacts pod = create("a");
        new ApiBinder(client).bind(pod, "n", Optional.of(predicted(List.of())));

        assertThat(stored("a").getSpec().getNodeName()).isEqualTo("n");
        assertThat(stored("a").getMetadata().getAnnotations())
                .containsOnly(entry(Annotations.PREDICTED, "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"2\"}}]"));
    }

    @Test
    void writesWhatInitContainersKeep() throws IOException {
        PodFacts pod = create("a");
        ContainerAllocation init = new ContainerAllocation("init", CpuSet.of(10, 11), List.of(), List.of());

        new ApiBinder(client).bind(pod, "n", Optional.of(predicted(List.of(init))));

        assertThat(stored("a").getMetadata().getAnnotations())
                .containsEntry(
                        Annotations.PLACEMENT_PREDICTED,
                        "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"8-9\"},{\"name\":\"init\",\"cpus\":\"10-11\"}]}");
    }

    private static PredictedPlacement predicted(List<ContainerAllocation> initContainers) {
        PodAllocation running = new PodAllocation(
                "default", "a", List.of(new ContainerAllocation("c", CpuSet.of(8, 9), List.of(), List.of())));
        return new PredictedPlacement(
                AffinityMask.of(List.of(1)),
                new Placement.Builder().add(1, "cpu", 2000).build(),
                new PredictedAllocation(running, Optional.of(initContainers)),
                List.of(),
                true);
    }

    @Test
    void neverBindsAnotherInstanceOfThePod() throws IOException {
        PodFacts old = create("a");
        delete("a");
        create("a");
        ApiBinder binder = new ApiBinder(client);

        assertThatThrownBy(() -> binder.bind(old, "n", Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot bind: pod=default/a node=n: ");
        assertThat(binder.read("default", "a", old.uid().orElseThrow())).isEmpty();
        assertThat(stored("a").getSpec().getNodeName()).isNull();
    }

    @Test
    void writesAWarningOnceUntilItsCauseChanges() throws IOException {
        PodFacts pod = create("a");
        PodEvents events = events(Runnable::run);

        assertThat(events.warn(pod, "NumaUnschedulable", "no zone fits")).isTrue();
        assertThat(events.warn(pod, "NumaUnschedulable", "no zone fits")).isFalse();
        assertThat(events.warn(pod, "NumaUnschedulable", "no zone fits", () -> "no zone fits; 3 cpu are free"))
                .isFalse();
        assertThat(events.warn(pod, "NumaUnschedulable", "no node fits")).isTrue();
        events.forget(pod);
        assertThat(events.warn(pod, "NumaUnschedulable", "no node fits")).isTrue();

        assertThat(events())
                .extracting(Event::getMessage)
                .containsExactlyInAnyOrder("no zone fits", "no node fits", "no node fits");
        assertThat(events()).allSatisfy(event -> {
            assertThat(event.getInvolvedObject().getUid()).isEqualTo(pod.uid().orElseThrow());
            assertThat(event.getReason()).isEqualTo("NumaUnschedulable");
            assertThat(event.getFirstTimestamp()).isEqualTo("2026-01-01T00:00:00Z");
        });
    }

    private PodEvents events(Executor writer) {
        return new PodEvents(once(), writer, lost::incrementAndGet, () -> NOW);
    }

    private KubernetesClient once() {
        return ClusterReader.withoutRetries(client, Duration.ofMinutes(1));
    }

    private static boolean isEvent(RecordedRequest request) {
        return request.isWrite() && request.path().endsWith("/events");
    }

    @Test
    void writesAnEventThatHadNoRoomWithItsNextOccasion() throws IOException {
        Queue<Runnable> waiting = new ArrayDeque<>();
        PodEvents events = events(write -> {
            if (!waiting.isEmpty()) {
                throw new RejectedExecutionException("full");
            }
            waiting.add(write);
        });
        PodFacts first = create("a");
        PodFacts second = create("b");

        assertThat(events.warn(first, "NumaUnschedulable", "no zone fits")).isTrue();
        assertThat(events.warn(second, "NumaUnschedulable", "no zone fits")).isFalse();
        events.warnAgain(second, "NumaUnschedulable", "dropped", Optional.empty());
        waiting.remove().run();
        assertThat(events.warn(second, "NumaUnschedulable", "no zone fits")).isTrue();
        waiting.remove().run();

        assertThat(events()).extracting(Event::getMessage).containsExactly("no zone fits", "no zone fits");
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                arguments("503", Fault.ErrorResponse.unavailable()),
                arguments("500", Fault.ErrorResponse.internalError()),
                arguments("429", Fault.ErrorResponse.tooManyRequests(Duration.ofHours(1))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answers")
    void leavesAnEventToItsNextOccasionWhileTheApiServerHasNoTime(String answer, Fault fault) throws IOException {
        PodFacts pod = create("a");
        PodEvents events = events(Runnable::run);
        server.faults().always(PodWritesTest::isEvent, fault);

        events.warn(pod, "NumaUnschedulable", "no zone fits");
        assertThat(server.requests().count(PodWritesTest::isEvent))
                .as("attempts")
                .isOne();
        assertThat(lost).hasValue(1);

        server.faults().clear();
        events.warn(pod, "NumaUnschedulable", "no zone fits");
        events.warn(pod, "NumaUnschedulable", "no zone fits");
        assertThat(events()).extracting(Event::getMessage).containsExactly("no zone fits");
    }

    @Test
    void doesNotRepeatAnEventThatIsForbidden() throws IOException {
        PodFacts pod = create("a");
        PodEvents events = events(Runnable::run);
        server.faults().always(PodWritesTest::isEvent, Fault.ErrorResponse.forbidden());

        events.warn(pod, "NumaUnschedulable", "no zone fits");
        events.warn(pod, "NumaUnschedulable", "no zone fits");

        assertThat(server.requests().count(PodWritesTest::isEvent))
                .as("attempts")
                .isOne();
        assertThat(lost).hasValue(1);
    }

    @Test
    void repeatsAnEventTwiceIfItsConnectionBreaks() throws IOException {
        PodFacts pod = create("a");
        PodEvents events = events(Runnable::run);
        server.faults().times(2, PodWritesTest::isEvent, new Fault.Drop());

        events.warn(pod, "NumaUnschedulable", "no zone fits");
        assertThat(events()).extracting(Event::getMessage).containsExactly("no zone fits");

        server.requests().clear();
        server.faults().always(PodWritesTest::isEvent, new Fault.Drop());
        events.warn(pod, "NumaUnschedulable", "no node fits");
        assertThat(server.requests().count(PodWritesTest::isEvent))
                .as("attempts")
                .isEqualTo(3);
        assertThat(lost).hasValue(1);
    }

    /** The limit is short, because the answer never comes. */
    @Test
    void givesUpAnEventWithoutAnAnswer() throws IOException {
        PodFacts pod = create("a");
        server.faults().always(PodWritesTest::isEvent, new Fault.Delay(Duration.ofHours(1)));
        KubernetesClient impatient = ClusterReader.withoutRetries(client, Duration.ofSeconds(2));

        new PodEvents(impatient, Runnable::run, lost::incrementAndGet, () -> NOW)
                .warn(pod, "NumaUnschedulable", "no zone fits");

        assertThat(server.requests().count(PodWritesTest::isEvent))
                .as("attempts")
                .isOne();
        assertThat(lost).hasValue(1);
    }

    @Test
    void tellsWithTheNextWriteWhichRequestsForARetryHadNoRoom() throws IOException {
        Queue<Runnable> waiting = new ArrayDeque<>();
        PodRequeuer requeuer = requeuer(write -> {
            if (!waiting.isEmpty()) {
                throw new RejectedExecutionException("full");
            }
            waiting.add(write);
        });

        requeuer.requeue(create("a"), Optional.empty());
        requeuer.requeue(create("b"), Optional.of("n"));
        assertThat(failed).as("the caller may hold locks").isEmpty();

        waiting.remove().run();
        assertThat(failed).containsExactly("b");
        assertThat(stored("a").getStatus().getConditions()).hasSize(1);
    }

    @Test
    void writesNoEventForAManifestThatWasNeverCreated() throws IOException {
        PodFacts pod = ClusterYaml.read("""
                kind: Pod
                metadata: {name: a}
                spec: {containers: []}
                """).pods().get(0);

        assertThat(events(Runnable::run).warn(pod, "NumaUnschedulable", "no zone fits"))
                .isFalse();
        assertThat(events()).isEmpty();
    }

    private PodRequeuer requeuer() {
        return requeuer(Runnable::run);
    }

    private PodRequeuer requeuer(Executor writer) {
        return new PodRequeuer(once(), writer, lost::incrementAndGet, () -> NOW, (pod, node) -> failed.add(pod.name()));
    }

    @Test
    void requestsARetryByACondition() throws IOException {
        PodFacts pod = create("a");

        requeuer().requeue(pod, Optional.empty());

        assertThat(stored("a").getStatus().getNominatedNodeName()).isNull();
        assertThat(stored("a").getStatus().getConditions()).singleElement().satisfies((PodCondition condition) -> {
            assertThat(condition.getType()).isEqualTo("numaledger.io/SchedulingRetryRequested");
            assertThat(condition.getStatus()).isEqualTo("True");
            assertThat(condition.getReason()).isEqualTo("ZonesAvailable");
            assertThat(condition.getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
        });
    }

    @Test
    void nominatesAPodForANode() throws IOException {
        PodFacts pod = create("a");

        requeuer().requeue(pod, Optional.of("n"));

        assertThat(stored("a").getStatus().getNominatedNodeName()).isEqualTo("n");
        assertThat(stored("a").getStatus().getConditions()).hasSize(1);
        requeuer().requeue(pod, Optional.of(Requeuer.NO_NODE));
        assertThat(stored("a").getStatus().getNominatedNodeName()).isNullOrEmpty();
    }

    @Test
    void requestsNoRetryOfAnotherInstance() throws IOException {
        PodFacts old = create("a");
        delete("a");
        create("a");

        requeuer().requeue(old, Optional.empty());

        assertThat(stored("a").getStatus().getConditions()).isNullOrEmpty();
        assertThat(failed).as("the pod is gone").isEmpty();
    }

    @Test
    void tellsWhichRequestForARetryCannotBeWritten() throws IOException {
        PodFacts pod = create("a");
        server.faults().always(request -> request.path().endsWith("/status"), Fault.ErrorResponse.forbidden());

        requeuer().requeue(pod, Optional.of("n"));
        assertThat(failed).containsExactly("a");

        server.faults().clear();
        delete("a");
        requeuer().requeue(pod, Optional.of("n"));
        assertThat(failed).as("the pod is gone").containsExactly("a");
    }
}
