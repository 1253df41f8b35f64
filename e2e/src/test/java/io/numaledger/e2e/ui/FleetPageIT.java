package io.numaledger.e2e.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.browser.ExpectedFleet;
import io.numaledger.browser.HeadlessBrowser;
import io.numaledger.browser.PageSpeed;
import io.numaledger.browser.ShownPage;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code kubectl numa ui} of 5,000 nodes: what the page shows is what the API answers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FleetPageIT {

    private static final int NODES = 5_000;
    private static final int NODES_WITH_PODS = 200;
    private static final int PODS_OF_A_NODE = 3;
    private static final int CORDONED = 40;
    private static final String GPU = "nvidia.com/gpu";
    private static final Pattern ADDRESS = Pattern.compile("(http\\S+#token=\\S+)");

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final StringBuilder took = new StringBuilder();
    private GeneratedCluster cluster;
    private HeadlessBrowser browser;
    private ShownPage page;

    @BeforeAll
    void openThePage(@TempDir Path directory) throws IOException {
        browser = closed(HeadlessBrowser.start());
        long before = System.nanoTime();
        cluster = closed(new GeneratedCluster(directory));
        before = took("API server", before);
        List<FleetNode> nodes = FleetMix.MIXED.nodes(NODES, 0);
        nodes.subList(0, NODES_WITH_PODS).forEach(node -> node.fill(PODS_OF_A_NODE));
        cluster.create(nodes);
        nodes.subList(0, CORDONED).forEach(node -> cluster.cordon(node.name(), "pool", "old"));
        before = took("objects", before);
        cluster.startBridge();
        before = took("bridge", before);
        ChildProcess plugin = closed(cluster.kubectl("numa", "ui"));
        String url = Wait.until("kubectl numa ui prints its address")
                .log(plugin.log())
                .value(
                        () -> Files.readString(plugin.log()),
                        said -> address(said).find() || !plugin.isAlive());
        Matcher address = address(url);
        assertThat(address.find()).as(url).isTrue();
        before = took("kubectl numa ui", before);
        browser.size(1400, 900);
        page = new ShownPage(browser);
        page.go(address.group(1));
        took("browser", before);
    }

    private <T extends AutoCloseable> T closed(T opened) {
        open.push(opened);
        return opened;
    }

    private long took(String what, long since) {
        long now = System.nanoTime();
        took.append(" %s %.1f s".formatted(what, (now - since) / 1e9));
        return now;
    }

    private static Matcher address(String said) {
        return ADDRESS.matcher(said);
    }

    @AfterAll
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    @Test
    void showsTheFleetAsTheApiAnswersIt() throws IOException {
        List<JsonNode> nodes = cluster.nodes();
        assertThat(nodes).hasSize(NODES);
        page.show("fleet", "5,000 nodes");
        ExpectedFleet all = new ExpectedFleet(nodes);

        for (String resource : List.of(GPU, "cpu")) {
            page.choose("#resource", resource);
            page.awaitSummary(all.summary(resource)::equals);
            assertThat(page.compareColours(all, resource))
                    .isEqualTo(nodes.stream()
                            .mapToLong(node -> node.path("zones").size())
                            .sum());
        }

        List<String> old = cluster.labelled("pool", "old");
        ExpectedFleet cordoned = fleet(nodes, node -> node.path("unschedulable").asBoolean());
        assertThat(cordoned.nodes().stream().map(node -> node.path("node").asText()))
                .containsAll(old)
                .hasSizeBetween(CORDONED, CORDONED + 1);
        page.find("summary").click();
        page.choose("[name=problem]", "Cordoned");
        assertIsShown(cordoned);
        page.choose("[name=problem]", "All");
        page.type("label", "pool=old");
        assertIsShown(fleet(nodes, node -> old.contains(node.path("node").asText())));
        page.type("label", "");
        page.type("name", "node-0012");
        assertIsShown(fleet(nodes, node -> node.path("node").asText().startsWith("node-0012")));
        page.type("name", "");
        assertThat(browser.complaints()).isEmpty();
    }

    private static ExpectedFleet fleet(List<JsonNode> nodes, Predicate<JsonNode> which) {
        return new ExpectedFleet(nodes.stream().filter(which).toList(), nodes.size());
    }

    /** The sentence, and a table of at most one page. */
    private void assertIsShown(ExpectedFleet fleet) {
        page.awaitSummary(fleet.summary("cpu")::equals);
        List<List<String>> rows = fleet.rows("cpu");
        page.await("the table", () -> page.all("tbody tr").size() == rows.size());
        assertThat(page.rows(ExpectedFleet.COLUMNS)).isEqualTo(rows);
    }

    @Test
    void showsANodeAsTheApiAnswersIt() throws IOException {
        for (String name : List.of("node-00000", "node-00003", "node-00009")) {
            JsonNode node = cluster.node(name);
            assertThat(node.path("pods")).hasSize(PODS_OF_A_NODE);
            page.show("node/" + name, "Pods that hold something of " + name);

            assertThat(page.texts(".zone h4")).isEqualTo(node.path("zones").findValuesAsText("zone"));
            for (int zone = 0; zone < node.path("zones").size(); zone++) {
                JsonNode expected = node.path("zones").path(zone);
                String shown = page.texts(".zone").get(zone);
                for (String resource : List.of("cpu", GPU, "example.com/nic")) {
                    assertThat(shown)
                            .contains("%s: %s of %s free"
                                    .formatted(
                                            resource,
                                            expected.path("free").path(resource).asText(),
                                            expected.path("allocatable")
                                                    .path(resource)
                                                    .asText()));
                }
            }
            for (JsonNode pod : node.path("pods")) {
                String named = pod.path("pod").asText();
                assertThat(page.text("tbody")).contains(named);
                assertThat(page.all("[title^='CPU '][title$=': " + named + "']"))
                        .hasSize(CpuSet.parse(pod.path("cpus").asText()).size());
            }
        }
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void followsTheCluster() {
        page.show("fleet", "5,000 nodes");
        page.choose("[name=problem]", "Cordoned");
        page.awaitSummary(text -> text.startsWith(CORDONED + " of 5,000 nodes"));

        cluster.cordon("node-04999", "pool", "new");

        page.awaitSummary(text -> text.startsWith(CORDONED + 1 + " of 5,000 nodes"));
        page.choose("[name=problem]", "All");
    }

    @Test
    void isFluid() {
        page.show("fleet", "5,000 nodes");
        PageSpeed speed = page.speed();

        System.out.printf("kubectl numa ui of %d nodes: %s; before:%s%n", NODES, speed, took);
        assertThat(speed.isUsable()).as(speed.toString()).isTrue();
    }
}
