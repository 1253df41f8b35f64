package io.numaledger.bridge.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.access.ApiAccess;
import io.numaledger.bridge.objects.Documents;
import io.numaledger.cli.Finding;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code kubectl numa doctor}: what is wrong with Numaledger in a cluster. */
@Command(
        name = "doctor",
        description =
                "Checks the aggregated API, your rights, the zones of all nodes, the chart's pods, and kubelet refusals; each finding says what to do.",
        footer = "Exit status: 0, or 1 with a finding marked fail; 2 if kubectl cannot be started or asked.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class DoctorView implements Callable<Integer> {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DEFINITION = "/apis/topology.node.k8s.io/v1alpha2";
    private static final String COMPONENTS =
            "/api/v1/pods?labelSelector=app.kubernetes.io/component%20in%20(agent,bridge,scheduler)";
    private static final String FAILED = "/api/v1/pods?fieldSelector=status.phase=Failed";

    private final Surroundings surroundings;

    @Spec
    private CommandSpec command;

    @Mixin
    private final ClusterSource cluster;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private OutputFormat format = OutputFormat.table;

    private boolean failed;

    DoctorView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        failed = false;
        if (cluster.dump().isPresent()) {
            dump(cluster.dump().get());
        } else {
            online(cluster.kubectl());
        }
        return failed ? 1 : 0;
    }

    /** At once: some checks wait for answers. */
    private void print(Finding finding) {
        failed |= finding.level() == Finding.Level.FAIL;
        PrintWriter out = command.commandLine().getOut();
        out.println(format.text(JSON.valueToTree(finding), any -> finding.text(surroundings.colours())));
        out.flush();
    }

    private void dump(Path file) throws IOException {
        ZoneChecks.of(cluster.zones().nodes()).forEach(this::print);
        List<JsonNode> pods = Documents.read(Files.readString(file)).stream()
                .filter(each -> each.path("kind").asText().equals("Pod"))
                .toList();
        PodChecks.components(pods).forEach(this::print);
        PodChecks.refusals(pods).forEach(this::print);
    }

    private void online(Kubectl kubectl) throws IOException {
        ApiChecks api = new ApiChecks(kubectl, this::print);
        if (!api.server()) {
            return;
        }
        boolean zones = api.aggregated()
                && api.right(
                        "list",
                        ApiAccess.GROUP,
                        ApiAccess.NODES,
                        "",
                        "no view of zones; ask for the ClusterRole view, or RELEASE-bridge-view of the chart");
        api.right(
                "create",
                ApiAccess.GROUP,
                ApiAccess.EXPLANATIONS,
                cluster.namespace(),
                "no explain and whatif there; ask for the ClusterRole edit, or RELEASE-bridge-edit of the chart");
        if (zones) {
            try {
                ZoneChecks.of(cluster.zones().nodes()).forEach(this::print);
            } catch (IOException e) {
                print(Finding.fail("zones", String.valueOf(e.getMessage())));
            }
        } else {
            published(kubectl);
        }
        if (api.right(
                "list",
                "",
                "pods",
                "",
                "the chart's pods and kubelet refusals are not checked; ask somebody who may list all pods")) {
            PodChecks.components(items(kubectl.get(COMPONENTS))).forEach(this::print);
            PodChecks.refusals(items(kubectl.get(FAILED))).forEach(this::print);
        }
    }

    /** Without a bridge: which nodes have zones that one could use. */
    private void published(Kubectl kubectl) throws IOException {
        try {
            kubectl.get(DEFINITION);
            ZoneChecks.of(cluster.published("nodes,noderesourcetopologies").nodes())
                    .forEach(this::print);
        } catch (KubectlException e) {
            print(
                    e.reason() == KubectlException.Reason.NOT_FOUND
                            ? Finding.fail(
                                    "zones",
                                    "the API server does not know noderesourcetopologies of topology.node.k8s.io/v1alpha2; install the chart's crds")
                            : Finding.warn("zones", "not checked: " + e.text()));
        }
    }

    private static List<JsonNode> items(JsonNode list) {
        List<JsonNode> items = new ArrayList<>();
        list.path("items").forEach(items::add);
        return items;
    }
}
