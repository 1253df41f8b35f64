package io.numaledger.agent.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.gpu.PcieLevels;
import io.numaledger.nrt.gpu.GpuTopologyPublisher;
import io.numaledger.nrt.gpu.GpuTopologyPublisher.Extras;
import io.numaledger.nrt.gpu.GpuTopologyPublisher.Seen;
import io.numaledger.nrt.gpu.GpuTopologyText;
import io.numaledger.nrt.gpu.SeedForm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The annotations of the Node, on the embedded API server and on a real one. */
class NodeAnnotationsTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final GpuTopology PAIR = new GpuTopology(
            List.of(Gpu.onNumaNode(0), Gpu.onNumaNode(1)),
            LinkKind.DIRECT,
            LinkMatrix.of(new int[][] {{0, 2}, {2, 0}}),
            PcieLevels.unknown(2),
            Optional.empty());

    @TempDir
    private Path directory;

    @Test
    void theEmbeddedServerKeepsThem() throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start()) {
            Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
            keepsOurAnnotationsAndLeavesOthersAlone(kubeconfig, () -> kubeconfig);
        }
    }

    @Test
    void aRealServerKeepsThem() throws IOException {
        String binaries = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                binaries != null && Files.isExecutable(Path.of(binaries, "helm")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with etcd, kube-apiserver and helm");
        try (RealApiServer server = RealApiServer.start(Path.of(binaries), directory.resolve("api"))) {
            ChartAccounts accounts = ChartAccounts.install(
                    server,
                    Path.of(binaries, "helm"),
                    Path.of(System.getProperty("numaledger.root"), "charts", "numaledger"),
                    directory.resolve("accounts"));
            keepsOurAnnotationsAndLeavesOthersAlone(server.kubeconfig(), () -> accounts.agent("gpu-1"));
        }
    }

    private static void keepsOurAnnotationsAndLeavesOthersAlone(Path admin, Supplier<Path> agent) throws IOException {
        RequestBudget budget = new RequestBudget(50, 50, System::nanoTime);
        try (ApiServer api = ApiServer.connect(Optional.of(admin), budget)) {
            api.post("/api/v1/nodes", """
                    {"apiVersion":"v1","kind":"Node","metadata":{"name":"gpu-1",
                     "annotations":{"other/key":"kept","numaledger.io/nvlink-matrix":"[[0]]"}}}""", json -> "");
        }
        try (ApiServer api = ApiServer.connect(Optional.of(agent.get()), budget)) {
            NodeObject node = new NodeObject(api, "gpu-1");
            GpuTopologyPublisher publisher = new GpuTopologyPublisher(node, Extras.NONE);
            Seen seen = new Seen(PAIR, true, List.of(), PciNumaNodes.NONE);
            assertThat(publisher.publish(seen, NOW)).containsExactly(GpuTopologyText.KEY, SeedForm.MATRIX_KEY);
            assertThat(publisher.publish(seen, NOW.plus(Duration.ofHours(1)))).isEmpty();
            assertThat(node.own()).isEqualTo(new TreeMap<>(Map.of(GpuTopologyText.KEY, GpuTopologyText.write(PAIR))));
            JsonNode stored = api.get("/api/v1/nodes/gpu-1", new ObjectMapper()::readTree);
            assertThat(stored.at("/metadata/annotations").get("other/key").asText())
                    .isEqualTo("kept");
        }
    }
}
