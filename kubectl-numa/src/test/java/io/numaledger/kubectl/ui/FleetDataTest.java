package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.kubectl.zones.Zones;
import io.numaledger.objects.ClusterDump;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

class FleetDataTest {

    private static final String BARE =
            "---\napiVersion: v1\nkind: Node\nmetadata: {name: bare, labels: {pool: a}}\nstatus: {}\n";

    private static final String AWAY = "the bridge does not answer";
    private static final Duration SOON = Duration.ofSeconds(60);

    private final Changes changes = new Changes();
    private final AtomicReference<String> objects = new AtomicReference<>("");
    private final ShownCluster cluster = new ShownCluster(this::zones, changes, () -> {}, InstantSource.system());
    private final FleetData data = new FleetData(cluster);

    private static String labelled(String name, String labels) {
        return ClusterYaml.node(name)
                .replaceFirst(
                        "metadata: [{]name: " + name + "[}]",
                        "metadata: {name: %s, labels: {%s}}".formatted(name, labels));
    }

    private Zones zones() throws IOException {
        if (objects.get().isEmpty()) {
            throw new IOException(AWAY);
        }
        return new EvaluatedZones(ClusterDump.parse(objects.get()), SnapshotSettings.DEFAULT);
    }

    private JsonNode read() throws IOException {
        return data.read("", Map.of());
    }

    @Test
    void hasTheAmountsOfEachZoneInTheUnitsOfTheModel() throws IOException {
        objects.set(ClusterYaml.node("n") + ClusterYaml.running("a", "n", "cpu: \"3\", memory: 1Gi", "1-3") + BARE);

        assertThat(read().path("resources")).hasToString("[\"cpu\",\"nvidia.com/gpu\"]");
        JsonNode node = read().at("/nodes/1");
        assertThat(node.path("node").asText()).isEqualTo("n");
        assertThat(node.path("pods").asInt()).isEqualTo(1);
        assertThat(node.path("zones"))
                .hasToString("[{\"zone\":\"node-0\",\"free\":[1000,1],\"later\":[1000,1],\"all\":[4000,1]},"
                        + "{\"zone\":\"node-1\",\"free\":[4000,1],\"later\":[4000,1],\"all\":[4000,1]}]");
    }

    @Test
    void hasTheLargestRequestWhereItIsLessThanWhatIsFree() throws IOException {
        objects.set(ClusterYaml.node("n")
                        .replace("\"0:0;1:1;2:2;3:3;4:4\"", "\"0:0,4;1:1,2,3\"")
                        .replace("\"5:5;6:6;7:7;8:8\"", "\"5:5,6;7:7,8\"")
                        .replace("zones:\n", "- {name: cpuManagerPolicyOptionFullPcpusOnly, value: \"true\"}\nzones:\n")
                + ClusterYaml.running("a", "n", "cpu: \"1\", memory: 1Gi", "1"));

        assertThat(read().at("/nodes/0/zones/0/largest")).hasToString("[2000,null]");
        assertThat(read().at("/nodes/0/zones/1").has("largest")).isFalse();
    }

    @Test
    void saysWhyZonesAreUnknown() throws IOException {
        objects.set(BARE);

        assertThat(read().at("/nodes/0/zones")).isEmpty();
        assertThat(read().at("/nodes/0/problems/0").asText())
                .isEqualTo("no zones are published; check that the agent runs on this node");
    }

    @Test
    void hasEachLabelOnce() throws IOException {
        objects.set(labelled("n", "pool: a, kubernetes.io/hostname: n") + labelled("m", "pool: a, zone: b"));

        assertThat(read().path("labels")).hasToString("[\"pool=a\",\"zone=b\"]");
        assertThat(read().at("/nodes/0/labels")).hasToString("[0,1]");
        assertThat(read().at("/nodes/1/labels")).hasToString("[0]");
    }

    @Test
    void tellsPagesOnlyWhenTheClusterHasChanged() throws Exception {
        objects.set(ClusterYaml.node("n"));
        JsonNode before = read();
        try (Following following = new Following()) {
            assertThat(changes.await(1, Duration.ofMillis(100))).isEqualTo(1);
            assertThat(read()).isSameAs(before);

            objects.set(ClusterYaml.node("n") + ClusterYaml.node("m"));
            assertThat(changes.await(1, SOON)).isEqualTo(2);
            assertThat(read().path("nodes")).hasSize(2);
        }
    }

    @Test
    void keepsWhatItKnowsAndSaysThatTheClusterCannotBeRead() throws Exception {
        objects.set(ClusterYaml.node("n"));
        JsonNode before = read();
        try (Following following = new Following()) {
            objects.set("");
            assertThat(changes.await(1, SOON)).isEqualTo(2);
            assertThat(read().path("unread").asText()).isEqualTo(AWAY);
            assertThat(read().path("nodes")).isEqualTo(before.path("nodes"));

            objects.set(ClusterYaml.node("n"));
            assertThat(changes.await(2, SOON)).isEqualTo(3);
            assertThat(read()).isEqualTo(before);
        }
    }

    /** A page listens, and so the cluster is read again and again. */
    private final class Following implements AutoCloseable {

        private final Thread reader = new Thread(() -> {
            try {
                cluster.follow(Duration.ofMillis(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        Following() {
            reader.start();
            changes.listen();
        }

        @Override
        public void close() throws InterruptedException {
            changes.leave();
            reader.interrupt();
            reader.join();
        }
    }
}
