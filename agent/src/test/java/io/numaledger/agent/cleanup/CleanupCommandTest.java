package io.numaledger.agent.cleanup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.cli.Failures;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code agent cleanup} against the embedded API server. */
class CleanupCommandTest {

    private static final String NRT = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private ApiServer api;
    private Path kubeconfig;
    private int status;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        api = ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(100, 100, System::nanoTime));
        for (String node : new String[] {"a", "b"}) {
            api.post("/api/v1/nodes", """
                    {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","annotations":{"numaledger.io/x":"1","other/x":"1"}}}""".formatted(node), json -> null);
            api.post("/api/v1/namespaces/default/pods", """
                    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%s","annotations":{
                     "kai.scheduler/numa-placement-observed":"[]","numaledger.io/placement":"{}","other/x":"1"}},
                     "spec":{"nodeName":"%s","containers":[{"name":"c","image":"i"}]}}""".formatted(node, node), json -> null);
            topology(node, "numaledger-agent");
        }
        topology("foreign", "another");
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    private void topology(String name, String manager) throws IOException {
        topology(name, manager, "");
    }

    private void topology(String name, String manager, String zones) throws IOException {
        api.patch(
                NRT + "/" + name + "?force=true&fieldManager=" + manager,
                ApiServer.APPLY_PATCH,
                """
                {"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":{"name":"%s"},
                 "attributes":[{"name":"by","value":"%s"}],"zones":[%s]}""".formatted(name, manager, zones),
                json -> null);
    }

    @Test
    void removesTheRecordsOfOneNode() throws IOException {
        assertThat(run("--node-name=a")).hasLineCount(3).contains("noderesourcetopology a: deleted");

        assertThat(names(NRT)).isEqualTo("b foreign ");
        assertThat(annotations("/api/v1/namespaces/default/pods/pod-a")).hasToString("{\"other/x\":\"1\"}");
        assertThat(annotations("/api/v1/nodes/a")).hasToString("{\"other/x\":\"1\"}");
        assertThat(annotations("/api/v1/namespaces/default/pods/pod-b")).hasSize(3);
        assertThat(annotations("/api/v1/nodes/b")).hasSize(2);
    }

    @Test
    void keepsTheRecordsOfOthers() throws IOException {
        assertThat(run("--all")).contains("noderesourcetopology foreign: kept, another program wrote it");

        assertThat(names(NRT)).isEqualTo("foreign ");
        assertThat(annotations("/api/v1/namespaces/default/pods/pod-b")).hasSize(1);
    }

    @Test
    void keepsATopologyThatAnotherExporterHasTakenOver() throws IOException {
        topology("a", "another", "{\"name\":\"node-0\",\"type\":\"Node\"}");

        assertThat(run("--all")).contains("noderesourcetopology a: kept, another program wrote it");
        assertThat(names(NRT)).isEqualTo("a foreign ");
    }

    @Test
    void removesNothingInADryRun() throws IOException {
        long before = server.resourceVersion();

        assertThat(run("--all", "--dry-run"))
                .contains("noderesourcetopology b: would delete")
                .doesNotContain(": deleted", ": removed");

        assertThat(server.resourceVersion()).isEqualTo(before);
    }

    @Test
    void asksForForceWhileAnAgentRuns() throws IOException {
        api.post("/api/v1/namespaces/default/pods", """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"agent-b","labels":{
                 "app.kubernetes.io/name":"numaledger","app.kubernetes.io/component":"agent"}},
                 "spec":{"nodeName":"b","containers":[{"name":"c","image":"i"}]}}""", json -> null);
        long before = server.resourceVersion();

        assertThat(run("--all")).contains("pods=default/agent-b; uninstall them first, or give --force");
        assertThat(status).isEqualTo(1);
        assertThat(server.resourceVersion()).isEqualTo(before);
        assertThat(run("--node-name=a")).contains("noderesourcetopology a: deleted");
        assertThat(run("--all", "--force")).contains("noderesourcetopology b: deleted");
    }

    @Test
    void refusesACommandWithoutANode() {
        run();

        assertThat(status).isEqualTo(2);
    }

    private String run(String... flags) {
        StringWriter out = new StringWriter();
        CommandLine line = new CommandLine(new CleanupCommand())
                .setExecutionExceptionHandler(Failures::print)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out));
        String[] all = Arrays.copyOf(flags, flags.length + 1);
        all[flags.length] = "--kubeconfig=" + kubeconfig;
        status = line.execute(all);
        return out.toString();
    }

    private String names(String path) throws IOException {
        StringBuilder names = new StringBuilder();
        read(path)
                .get("items")
                .forEach(
                        item -> names.append(item.at("/metadata/name").asText()).append(' '));
        return names.toString();
    }

    private JsonNode annotations(String path) throws IOException {
        return read(path).at("/metadata/annotations");
    }

    private JsonNode read(String path) throws IOException {
        return api.get(path, new ObjectMapper()::readTree);
    }
}
