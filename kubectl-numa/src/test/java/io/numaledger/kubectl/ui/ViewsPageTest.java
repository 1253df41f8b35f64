package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.browser.HeadlessBrowser;
import io.numaledger.browser.ShownPage;
import io.numaledger.kubectl.zones.ClusterSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.WebElement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** A node, a waiting group and the time in a browser, of four nodes with eight GPUs each. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ViewsPageTest {

    @TempDir
    private Path directory;

    private HeadlessBrowser browser;
    private ShownPage page;
    private ShownCluster shown;
    private UiData data;
    private UiServer server;

    /** Why the cluster cannot be asked; empty: it answers. */
    private final AtomicReference<String> away = new AtomicReference<>("");

    @BeforeAll
    void startBrowser() {
        browser = HeadlessBrowser.start();
        page = new ShownPage(browser);
    }

    @AfterAll
    void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        open(GivenCluster.gpus());
        browser.size(1400, 1000);
        browser.dark(false);
    }

    private void open(String objects) throws IOException {
        Path dump = Files.writeString(directory.resolve("dump.yaml"), objects);
        ClusterSource cluster = GivenCluster.ofDump(dump);
        Changes changes = new Changes();
        shown = new ShownCluster(cluster::zones, changes, this::ask, InstantSource.system());
        data = UiData.of(shown, cluster);
        server = new UiServer(0, data, changes);
        page.go(server.url().toString());
    }

    private void ask() throws IOException {
        if (!away.get().isEmpty()) {
            throw new IOException(away.get());
        }
    }

    @AfterEach
    void close() {
        browser.driver().get("about:blank");
        server.close();
        assertThat(browser.complaints()).isEmpty();
    }

    private void await(Wait.Condition condition) {
        page.await("the page", condition);
    }

    private List<WebElement> all(String selector) {
        return page.all(selector);
    }

    private String text(String selector) {
        return page.text(selector);
    }

    private void show(String view, String until) {
        page.show(view, until);
    }

    /** How many boxes of a kind the picture has. */
    private int boxes(String title) {
        return all("[title*='" + title + "']").size();
    }

    @Test
    void showsTheCpusOfEachPodAndTheLinksOfItsGpus() throws IOException {
        show("node/gpu-1", "Known by");

        JsonNode node = shown.zones().node("gpu-1").orElseThrow();
        assertThat(all(".core"))
                .hasSize(node.at("/zones/0/cores").size()
                        + node.at("/zones/1/cores").size());
        assertThat(boxes("CPU 33: ml/trainer-0")).isEqualTo(1);
        assertThat(boxes(": ml/infer-0")).isGreaterThanOrEqualTo(4);
        assertThat(boxes("reserved for the system")).isEqualTo(2);
        assertThat(all("svg.links line")).hasSize(16);
        assertThat(boxes("mlx5-0: ml/trainer-0, claim rdma")).isEqualTo(1);
        assertThat(text(".node-facts")).contains("Status: Ready", "Taints: none", "policy restricted, scope container");
        browser.screenshot("ui-node");
    }

    @Test
    void leadsFromANodeToTheExplanationOfAPod() {
        show("node/gpu-1", "Known by");

        all("tbody a").get(0).click();
        await(() -> text("main h2").startsWith("Where would ml/trainer-0 fit?"));
        show("waiting/pod/ml%2Fnotebook", "Why does ml/notebook wait?");
    }

    @Test
    void saysWhichPodsNoSchedulerHasTried() throws IOException {
        close();
        open(GivenCluster.gpus().replaceAll(", conditions: \\[\\{type: PodScheduled.*?}]", ""));
        show("waiting", "Waiting: 4 pods");

        assertThat(text("tbody")).containsPattern("ml/notebook \\d+d numaledger nothing: no scheduler has tried it\n");
    }

    @Test
    void showsTheNodeAfterReleases() {
        show("node/gpu-1", "Known by");
        assertThat(boxes("CPU 18: ml/infer-1")).isEqualTo(1);

        all("#after").get(0).click();

        assertThat(boxes("CPU 18: free")).isEqualTo(1);
        assertThat(text(".zones")).contains("nvidia.com/gpu: 3 of 4 free");
    }

    @Test
    void showsEachDeviceInItsZoneOrBesideTheZones() {
        show("node/gpu-1", "Known by");

        assertThat(boxes("nvidia.com/mlnxnics mlx5_4: ml/trainer-0")).isEqualTo(1);
        assertThat(boxes("nvidia.com/mlnxnics: free")).isEqualTo(3);
        assertThat(text(".zone")).contains("nvidia.com/mlnxnics: 1 of 2 free");
        assertThat(all(".zone.beyond"))
                .extracting(WebElement::getText)
                .satisfiesExactly(
                        both -> assertThat(both)
                                .startsWith("node-0 and node-1\nrdma/hca: 1 of 2 free\nhca-0000:8…verbs3 · 1"),
                        none -> assertThat(none)
                                .startsWith("No NUMA node\ndevices.example.com/fuse: 2 of 3 free\nfuse-7 · 1"));
    }

    @Test
    void hasATableForEachPicture() throws IOException {
        show("node/gpu-1", "Known by");
        all("summary").forEach(WebElement::click);
        await(() -> all("table").size() == 4);

        JsonNode zone = shown.zones().node("gpu-1").orElseThrow().at("/zones/1");
        assertThat(text("tbody"))
                .contains("node-1 nvidia.com/gpu 4 %s %s"
                        .formatted(
                                zone.path("free").path("nvidia.com/gpu").asText(),
                                zone.path("freeAfterReleases")
                                        .path("nvidia.com/gpu")
                                        .asText()))
                .contains("nvidia.com/mlnxnics node-0 mlx5_4 ml/trainer-0\nnvidia.com/mlnxnics node-0 1 device free\n")
                .contains("rdma/hca node-0 and node-1 hca-0000:81:00.0-uverbs3 ml/trainer-0\n")
                .contains("rdma.example.com node-0 mlx5-0 ml/trainer-0, claim rdma\n")
                .contains("GPU 0 node-0 GPU-10 – 1 1 2 2 0 0 0");
    }

    @Test
    void saysThatANodeIsCordonedOrTaintedAndWhichZonesMemoryTiesTogether() {
        show("node/gpu-3", "Known by");
        assertThat(text(".node-facts")).contains("Status: Ready; cordoned");

        show("node/gpu-2", "Taints: nvidia.com/gpu=present:NoSchedule");
        assertThat(text("main")).contains("memory of node-0 and node-1 together");
        assertThat(all(".zone.grouped")).hasSize(2);
        assertThat(text(".zones")).contains("memory: 92 GiB of 126 GiB free, at most 0 B for one container");
    }

    @Test
    void saysWhyAGroupAndItsPodsWait() throws IOException {
        show("waiting", "Waiting: 4 pods");
        assertThat(text("tbody")).contains("ml/training 2 2 ml/training-0");

        show("waiting/group/ml%2Ftraining", "It would fit if these pods moved");
        await(() -> text("main").contains("Waiting: 4 pods"));
        browser.screenshot("ui-group");

        show("waiting/pod/ml%2Fnotebook", "Nearest misses");
        JsonNode answer = data.read("waiting/pod/ml/notebook", Map.of()).orElseThrow();
        answer.path("classes")
                .forEach(each ->
                        assertThat(text("main")).contains(each.path("sentence").asText()));
        answer.path("nearest")
                .forEach(each ->
                        assertThat(text("main")).contains(each.path("advice").asText()));
        browser.screenshot("ui-waiting");
    }

    @Test
    void showsWhatIsStrandedWhereAndWhichMovesWouldMakeRoom() throws IOException {
        JsonNode references = data.read("stranded", Map.of()).orElseThrow().path("references");
        assertThat(references).isNotEmpty();
        JsonNode most = references.get(0);
        for (JsonNode each : references) {
            most = each.path("stranded").asInt() > most.path("stranded").asInt() ? each : most;
        }
        String name = most.path("reference").asText();
        assertThat(most.path("stranded").asInt()).isPositive();

        show("stranded/" + name, "Nodes that strand most");

        for (JsonNode each : references) {
            assertThat(text("main"))
                    .contains("%s: %d of %d"
                            .formatted(
                                    each.path("reference").asText(),
                                    each.path("byZones").asInt(),
                                    each.path("bySums").asInt()));
        }
        JsonNode one = data.read("stranded/" + name, Map.of()).orElseThrow();
        one.path("nodes")
                .forEach(node ->
                        assertThat(text("main")).contains(node.path("node").asText()));
        assertThat(all("main li")).hasSize(one.path("moves").size());
        browser.screenshot("ui-stranded");
    }

    @Test
    void rehearsesADrainAndAChange() throws IOException {
        JsonNode drain = data.read("rehearsal", Map.of("words", "drain gpu-1")).orElseThrow();
        assertThat(drain.at("/steps/0/pods")).isNotEmpty();

        show("rehearse/drain%20gpu-1", "at once with no pod waiting");
        drain.at("/steps/0/pods")
                .forEach(pod -> assertThat(text("main"))
                        .contains(pod.path("pod").asText())
                        .contains(pod.path("fate").asText()));

        page.all("input[name=words]").get(0).clear();
        page.all("input[name=words]").get(0).sendKeys("change gpu-1 --policy-option no-such-option=true");
        page.all("form button").get(0).click();
        await(() -> text("main").contains("unknown CPU Manager Policy option: \"no-such-option\""));
        assertThat(text("main")).contains("Room for reference pods");

        show("rehearse/drain%20gpu-1%20--dump%3D%2Fetc%2Fpasswd", "not taken here: --dump");
        show("rehearse/drain%20nowhere", "no such node: node=nowhere");
        show("rehearse/drain%20gpu-1%20--kubeconfig%3Dx", "not taken here: --kubeconfig");
    }

    @Test
    void showsWhatItHasReadLastWhileTheClusterDoesNotAnswer() throws Exception {
        close();
        ClusterSource dump = GivenCluster.ofDump(directory.resolve("dump.yaml"));
        Changes changes = new Changes();
        shown = new ShownCluster(dump::zones, changes, this::ask, InstantSource.system());
        DataSource waiting = new WaitingData(shown, dump);
        DataSource asked = (path, query) -> {
            ask();
            return waiting.read(path, query);
        };
        server = new UiServer(
                0,
                new UiData(Map.of(
                        "nodes", new FleetData(shown),
                        "waiting", new LastRead(asked, shown::problem),
                        "state", new StateData(shown, "kind", Optional.empty()))),
                changes);
        Thread asking = new Thread(() -> {
            try {
                shown.askAgainAndAgain(Duration.ofMillis(100));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        asking.start();
        try {
            page.go(server.url().toString());
            await(() -> text("#state").equals("kind: live"));
            show("waiting", "Waiting: 4 pods");
            show("fleet", "Fleet");
            away.set("no route to host");
            await(() -> text("#state").matches("kind: not up to date, last read at [0-9:]+: no route to host"));
            show("waiting", "Waiting: 4 pods");
            show("waiting/pod/ml%2Fhuge", "no route to host");
            away.set("");
            await(() -> text("#state").equals("kind: live"));
            await(() -> text("main").contains("Nearest misses"));
        } finally {
            away.set("");
            asking.interrupt();
            asking.join();
        }
        browser.complaints();
    }

    /** Two tiles in each of two rows. The third one is cordoned, and has 7 free GPUs. */
    @Test
    void marksNodesThatTakeNoPodsAndCountsNothingFreeThere() {
        page.choose("#resource", "nvidia.com/gpu");
        await(() -> page.summary().endsWith("; 7 more on 1 node that is cordoned or not ready"));

        assertThat(browser.value("""
                const canvas = document.querySelector('.scroll canvas');
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const w = Math.floor((canvas.clientWidth - 3) / 2) - 3, h = 190;
                const marked = [];
                for (const node of [0, 1, 2, 3]) {
                  const x = 3 + (node % 2) * (w + 3) + Math.floor(w / 3), y = 3 + Math.floor(node / 2) * (h + 3) + h - 2;
                  const [red, green, blue] = canvas.getContext('2d').getImageData(x, y, 1, 1).data;
                  marked.push(red + green + blue === 0x16 + 0x20 + 0x2a);
                }
                return marked.join();
                """)).isEqualTo("false,false,true,false");
    }

    @Test
    void saysThatItShowsADump() {
        await(() -> text("#state").startsWith("dump.yaml: a dump of "));
    }

    @Test
    void showsRefusalsAndWhatItCannotSee() {
        show("time", "What this view cannot see");

        assertThat(text("tbody")).contains("Refusals by kubelets ml/refused gpu-1 TopologyAffinityError");
        assertThat(text("main")).contains("a dump has no Events", "only a bridge audits predictions");
    }

    @Test
    void showsNamesAsTextAndFitsNarrowScreens() throws IOException {
        close();
        open(GivenCluster.gpus().replace("gpu=present", "gpu").replace("value: present", "value: \"<img src=x>\""));
        browser.size(390, 800);
        browser.dark(true);
        show("node/gpu-2", "<img src=x>");

        assertThat(all("main img")).isEmpty();
        page.awaitWidth(390);
    }

    @Test
    void areInAReport() throws IOException {
        Path report = Files.writeString(directory.resolve("report.html"), Report.of(data));

        for (String view : List.of(
                "node/gpu-1",
                "waiting/pod/ml%2Fnotebook",
                "waiting/group/ml%2Ftraining",
                "stranded",
                "rehearse",
                "time")) {
            browser.driver().get(report.toUri() + "#/" + view);
            browser.driver().navigate().refresh();
            await(() -> !text("main h2").isEmpty() && !text("main").contains("Reading all nodes"));
            assertThat(all(".bad[role=alert]")).as(view).isEmpty();
        }
    }
}
