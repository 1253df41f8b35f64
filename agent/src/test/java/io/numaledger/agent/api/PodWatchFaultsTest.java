package io.numaledger.agent.api;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodStore.Written;
import io.numaledger.annotation.PodView;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** The watch of the pods of a node, and writes to them, while the API server fails. */
class PodWatchFaultsTest {

    private static final Duration SOON = Duration.ofMinutes(3);

    @TempDir
    Path directory;

    private final AtomicInteger changes = new AtomicInteger();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private ApiServer api;
    private Pods pods;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build();
        api = ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(1000, 1000, System::nanoTime));
        pods = new Pods(api, "n", changes::incrementAndGet);
    }

    @AfterEach
    void stop() {
        pods.close();
        api.close();
        client.close();
        server.close();
    }

    @Test
    void seesWhatHappensOnItsNodeAndNothingElse() {
        create("mine", "n");
        create("other", "m");
        pods.startWatching();
        awaitPods("mine");

        create("late", "n");
        awaitPods("late", "mine");
        client.pods().inNamespace("default").withName("mine").withGracePeriod(0).delete();
        awaitPods("late");
    }

    @Test
    void goesOnWhereAWatchWasCut() {
        create("a", "n");
        pods.startWatching();
        awaitPods("a");
        awaitWatching();

        server.faults().cutWatches();
        create("b", "n");

        awaitPods("a", "b");
        assertThat(lists())
                .as("a cut watch is taken up where it was, not listed again")
                .isEqualTo(1);
    }

    @Test
    void listsAgainWhenItsVersionHasExpired() {
        create("a", "n");
        pods.startWatching();
        awaitPods("a");
        awaitWatching();

        server.faults().always(request -> request.path().equals("/api/v1/pods"), new Fault.Drop());
        server.faults().cutWatches();
        create("b", "n");
        client.pods().inNamespace("default").withName("a").withGracePeriod(0).delete();
        server.compact();
        server.faults().clear();

        awaitPods("b");
        assertThat(lists()).isGreaterThanOrEqualTo(2);
    }

    /** Nothing else would tell what changes. */
    @Test
    void goesOnAfterAnError() {
        pods.close();
        pods = new Pods(api, "n", () -> {
            if (changes.incrementAndGet() == 1) {
                throw new StackOverflowError();
            }
        });
        create("a", "n");
        pods.startWatching();
        await().atMost(SOON).until(() -> changes.get() > 0);

        create("b", "n");

        awaitPods("a", "b");
    }

    @Test
    void waitsAsLongAsTheServerAsks() {
        server.faults()
                .once(
                        request -> request.path().equals("/api/v1/pods"),
                        Fault.ErrorResponse.tooManyRequests(Duration.ofSeconds(2)));
        create("a", "n");
        long asked = System.nanoTime();
        pods.startWatching();
        awaitPods("a");
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Duration.ofMillis(1900));
    }

    @Test
    void outlivesAnOutage() {
        server.faults().times(5, request -> request.path().equals("/api/v1/pods"), Fault.ErrorResponse.unavailable());
        create("a", "n");
        pods.startWatching();
        awaitPods("a");
        assertThat(pods.watchRefused()).isFalse();
    }

    @Test
    void saysThatItMayNotWatch() {
        server.faults().always(RecordedRequest::isWatch, Fault.ErrorResponse.forbidden());
        create("a", "n");
        pods.startWatching();
        await().atMost(SOON).until(pods::watchRefused);
        assertThat(names()).containsExactly("a");
    }

    @Test
    void notesThatItMayNoLongerWatch() {
        create("a", "n");
        pods.startWatching();
        awaitWatching();

        server.faults().always(RecordedRequest::isWatch, Fault.ErrorResponse.forbidden());
        server.faults().cutWatches();

        await().atMost(SOON).until(pods::watchRefused);
    }

    /** So does kube-apiserver for a moment after it has started. */
    @Test
    void goesOnAfterAnApiServerThatDeniesEverything() {
        create("a", "n");
        pods.startWatching();
        awaitWatching();

        server.faults()
                .times(
                        3,
                        request -> request.path().equals("/api/v1/pods"),
                        new Fault.ErrorResponse(403, "Forbidden", Optional.empty()));
        server.faults().cutWatches();
        create("b", "n");

        awaitPods("a", "b");
        assertThat(pods.watchRefused()).isFalse();
    }

    @Test
    void writesToTheInstanceItMeansAndToNoOther() throws IOException {
        create("a", "n");
        pods.refresh();
        PodView first = pods.all().get(0);
        assertThat(pods.write(first, record("x"))).isEqualTo(Written.DONE);
        assertThat(pods.all().get(0).observed()).contains("x");

        client.pods().inNamespace("default").withName("a").withGracePeriod(0).delete();
        assertThat(pods.write(first, record("y"))).isEqualTo(Written.GONE);

        create("a", "n");
        assertThat(pods.write(first, record("y"))).isEqualTo(Written.OTHER_INSTANCE);
        Pod second = client.pods().inNamespace("default").withName("a").get();
        assertThat(second.getMetadata().getAnnotations()).isNullOrEmpty();
    }

    /** No watch event follows this conflict, so the write must be retried. */
    @Test
    void tellsOfAConflictThatIsNotAboutTheInstance() throws IOException {
        create("a", "n");
        pods.refresh();
        PodView pod = pods.all().get(0);
        server.faults().once(request -> request.method().equals("PATCH"), Fault.ErrorResponse.conflict());

        assertThatThrownBy(() -> pods.write(pod, record("x")))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.status()).isEqualTo(409));
        assertThat(pods.write(pod, record("x"))).isEqualTo(Written.DONE);
    }

    @Test
    void tellsWhatTheServerSaidToAWrite() throws IOException {
        create("a", "n");
        pods.refresh();
        server.faults()
                .once(
                        request -> request.method().equals("PATCH"),
                        Fault.ErrorResponse.tooManyRequests(Duration.ofSeconds(7)));
        PodView pod = pods.all().get(0);
        assertThatThrownBy(() -> pods.write(pod, record("x")))
                .isInstanceOfSatisfying(ApiException.class, e -> {
                    assertThat(e.status()).isEqualTo(429);
                    assertThat(e.retryAfter()).contains(Duration.ofSeconds(7));
                })
                .hasMessageStartingWith("the API server refused: request='PATCH /api/v1/namespaces/default/pods/a");
    }

    private void create(String name, String node) {
        client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(node)
                        .addNewContainer()
                        .withName("c")
                        .withImage("i")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    private static PodRecords record(String text) {
        return new PodRecords(Optional.of(text), Optional.empty());
    }

    private List<String> names() {
        return pods.all().stream().map(PodView::name).toList();
    }

    private void awaitPods(String... names) {
        await().atMost(SOON).untilAsserted(() -> assertThat(names()).containsExactly(names));
    }

    private void awaitWatching() {
        await().atMost(SOON)
                .until(() ->
                        server.requests().count(request -> request.path().equals("/api/v1/pods") && request.isWatch())
                                > 0);
    }

    private long lists() {
        return server.requests()
                .count(request -> request.path().equals("/api/v1/pods")
                        && !request.isWatch()
                        && request.userAgent().startsWith("numaledger-agent"));
    }
}
