package io.numaledger.kubectl.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.cli.Finding;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.KubectlException;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.output.OutputFormat;
import io.numaledger.kubectl.rehearse.AnnouncedChanges;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.objects.ClusterDump;
import io.numaledger.objects.Documents;
import io.numaledger.scheduling.scheduler.SchedulerLeases;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** {@code kubectl numa doctor}: what is wrong with Numaledger in a cluster. */
@Command(
        name = "doctor",
        description =
                "Checks the aggregated API, your rights, the zones of all nodes, claimed devices, the chart's pods, kubelet refusals, whether schedulers try all pods and call the bridge, and what announced changes of kubelets would do; each finding says what to do.",
        footer = "Exit status: 0, or 1 with a finding marked fail; 2 if kubectl cannot be started or asked.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class DoctorView implements Callable<Integer> {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DEFINITION = "/apis/topology.node.k8s.io/v1alpha2";
    private static final String NOT_PREPARED =
            "/api/v1/events?limit=500&fieldSelector=reason%3D" + ClaimChecks.NOT_PREPARED;
    private static final String ZONES = "zones";

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

    public DoctorView(Surroundings surroundings) {
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

    /** Prints the finding at once: some checks wait for answers. */
    private void print(Finding finding) {
        failed |= finding.level() == Finding.Level.FAIL;
        PrintWriter out = command.commandLine().getOut();
        String text = format.text(JSON.valueToTree(finding), any -> finding.text(surroundings.colours()));
        TerminalWriter.printColoured(out, text + System.lineSeparator());
        out.flush();
    }

    private void dump(Path file) throws IOException {
        List<JsonNode> documents = Documents.read(Files.readString(file));
        ClusterPods pods = ClusterPods.of(documents.stream()
                .filter(each -> each.path("kind").asText().equals("Pod"))
                .toList());
        List<JsonNode> nodes = cluster.zones().nodes();
        ZoneChecks.of(nodes, true).forEach(this::print);
        ClaimChecks.of(nodes).forEach(this::print);
        List<JsonNode> events = documents.stream()
                .filter(each -> each.path("reason").asText().equals(ClaimChecks.NOT_PREPARED))
                .toList();
        ClaimChecks.unprepared(events, pods.facts(), nodes).forEach(this::print);
        Optional<Instant> last =
                pods.facts().stream().flatMap(pod -> pod.startedAt().stream()).max(Comparator.naturalOrder());
        pods(pods, nodes, SchedulerLeases.UNREAD, last.orElse(Instant.EPOCH));
        changes(documents.stream()
                .filter(each -> each.path("kind").asText().equals("Node"))
                .toList());
    }

    private void changes(Iterable<JsonNode> nodes) throws IOException {
        AnnouncedChanges.of(nodes, () -> cluster.evaluated().rehearsed()).forEach(this::print);
    }

    /** Who may not list nodes hears nothing of announced changes. */
    private void changes(Kubectl kubectl) throws IOException {
        try {
            changes(kubectl.get("/api/v1/nodes").path("items"));
        } catch (KubectlException e) {
            if (e.reason() != KubectlException.Reason.FORBIDDEN) {
                print(Finding.skip("changes", "not checked whether changes of kubelets are announced: " + e.line()));
            }
        }
    }

    private void online(Kubectl kubectl) throws IOException {
        ApiChecks api = new ApiChecks(kubectl, this::print);
        if (!api.server()) {
            return;
        }
        Optional<ClusterPods> pods = api.right(
                        "list",
                        "",
                        "pods",
                        "",
                        "the chart's pods, schedulers and kubelet refusals are not checked; ask somebody who may list all pods")
                ? Optional.of(ClusterPods.read(kubectl))
                : Optional.empty();
        List<JsonNode> nodes = new ArrayList<>();
        boolean hasZones = false;
        try {
            boolean served = !cluster.isWithoutBridge()
                    && api.aggregated(
                            pods.filter(all -> !all.bridges().isEmpty()).isPresent());
            boolean asks = served && mayAsk(api);
            nodes.addAll(asks ? cluster.zones().nodes() : published(kubectl, pods));
            ZoneChecks.of(nodes, asks || pods.isPresent()).forEach(this::print);
            ClaimChecks.of(nodes).forEach(this::print);
            hasZones = true;
        } catch (KubectlException e) {
            print(zonesNotRead(e));
        } catch (IOException e) {
            print(Finding.fail(ZONES, String.valueOf(e.getMessage())));
        }
        if (pods.isPresent()) {
            drivers(kubectl, pods.get(), nodes);
            pods(pods.get(), nodes, leases(), Instant.now());
            changes(kubectl);
        } else if (!hasZones) {
            print(Finding.fail(
                    "rights",
                    "nothing could be checked: you may read neither zones nor pods; ask for the rights above"));
        }
    }

    private SchedulerLeases leases() throws IOException {
        try {
            return cluster.schedulerLeases();
        } catch (KubectlException e) {
            print(Finding.skip(
                    "schedulers",
                    "whether they still run is not checked: %s; ask for the right to list leases in %s"
                            .formatted(e.line(), SchedulerLeases.NAMESPACE)));
            return SchedulerLeases.UNREAD;
        }
    }

    private void drivers(Kubectl kubectl, ClusterPods pods, List<JsonNode> nodes) throws IOException {
        if (pods.facts().stream().allMatch(pod -> pod.claims().isEmpty())) {
            return;
        }
        try {
            List<JsonNode> events = new ArrayList<>();
            kubectl.get(NOT_PREPARED).path("items").forEach(events::add);
            ClaimChecks.unprepared(events, pods.facts(), nodes).forEach(this::print);
        } catch (KubectlException e) {
            print(Finding.skip("claims", "not checked whether drivers prepare devices: " + e.text()));
        }
    }

    private boolean mayAsk(ApiChecks api) throws IOException {
        boolean zones = api.right(
                "list",
                ApiGroup.NAME,
                ApiGroup.NODES,
                "",
                "no view of zones; ask for the ClusterRole view, or RELEASE-bridge-view of the chart");
        api.right(
                "create",
                ApiGroup.NAME,
                ApiGroup.EXPLANATIONS,
                cluster.namespace(),
                "no explain and whatif there; ask for the ClusterRole edit, or RELEASE-bridge-edit of the chart");
        return zones;
    }

    private void pods(ClusterPods pods, List<JsonNode> nodes, SchedulerLeases leases, Instant now) {
        PodChecks.components(pods.examined()).forEach(this::print);
        PodChecks.refusals(pods.examined()).forEach(this::print);
        PodChecks.resizes(pods.examined()).forEach(this::print);
        Set<String> known = new TreeSet<>();
        nodes.forEach(node -> {
            if (!node.hasNonNull("unmodelled")) {
                known.add(node.path("node").asText());
            }
        });
        SchedulerChecks.of(pods, known::contains, leases, now).forEach(this::print);
    }

    /** Evaluates the published zones here, without a bridge. */
    private List<JsonNode> published(Kubectl kubectl, Optional<ClusterPods> pods) throws IOException {
        kubectl.get(DEFINITION);
        ClusterObjects read = ClusterDump.parse(kubectl.objects("nodes,noderesourcetopologies"));
        return new EvaluatedZones(
                        new ClusterObjects(
                                read.nodes(),
                                read.topologies(),
                                pods.map(ClusterPods::facts).orElse(List.of())),
                        SnapshotSettings.DEFAULT)
                .nodes();
    }

    private static Finding zonesNotRead(KubectlException e) {
        return e.reason() == KubectlException.Reason.NOT_FOUND
                ? Finding.fail(
                        ZONES,
                        "the API server does not know noderesourcetopologies of topology.node.k8s.io/v1alpha2; install the chart's crds")
                : Finding.skip(ZONES, "not checked: " + e.line());
    }
}
