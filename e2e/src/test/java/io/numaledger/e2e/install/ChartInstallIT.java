package io.numaledger.e2e.install;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A release of the chart in its default mode, from the commands of docs/install.md: real kubelets, controllers and accounts, the images
 * of this build, and an unmodified kube-scheduler.
 */
class ChartInstallIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final String NODES = """
            nodes:
            - name: a
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
            - name: b
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
            """;

    /** Without what comes and goes by itself, the aggregated API, and the older form of EndpointSlices. */
    private static final String OBJECTS = """
            kinds=$(kubectl api-resources --verbs=list -o name | grep -vE '^(events|endpoints$|componentstatuses|numanodes)' | paste -sd,)
            kubectl get "$kinds" -A -o jsonpath='{range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\\n"}{end}'
            """;

    @TempDir
    private Path home;

    private SimCluster cluster;
    private UserShell shell;
    private Optional<RecordingPrometheus> prometheus = Optional.empty();

    @AfterEach
    void stopPrometheus() {
        prometheus.ifPresent(RecordingPrometheus::close);
    }

    @Test
    void aReleaseIsInstalledUsedUpgradedAndUninstalled() throws IOException, InterruptedException {
        KubeBinaries binaries = RealKubernetes.binaries();
        assumeTrue(
                Files.isExecutable(binaries.directory().resolve("kubectl")), "skipped: no kubectl among the binaries");
        try (SimCluster started = SimCluster.builder(binaries)
                .images(ProgramImages.of("registry.example.com/numaledger"))
                .nodes(NodeSpecYaml.parse(NODES))
                .start()) {
            cluster = started;
            shell = new UserShell(binaries.directory(), cluster.kubeconfig(), home);
            // The simulated cluster has it from its start. The chart must bring it.
            shell.run("kubectl delete customresourcedefinition noderesourcetopologies.topology.node.k8s.io");
            Set<String> before = objects();
            install();
            prometheus = prometheus();
            Pod fits = placesPodsByZones();
            assertThat(shell.run("helm test numaledger --namespace numaledger --logs"))
                    .contains("default/fits on node-");
            if (prometheus.isPresent()) {
                everyQueryHasValues(prometheus.get());
            }
            upgrade();
            assertThat(pod("fits").getStatus()).isEqualTo(fits.getStatus());
            schedulersHaveAllRights();
            uninstall(before);
        }
    }

    private Set<String> objects() throws IOException, InterruptedException {
        return shell.run(OBJECTS)
                .lines()
                .filter(object -> !object.startsWith("Lease kube-node-lease/"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void install() throws IOException, InterruptedException {
        String output = shell.run(UserShell.documented("3. Install the chart"));
        assertThat(output).contains("daemon set \"numaledger-agent\" successfully rolled out");
        assertThat(output.lines().filter(line -> line.contains("[SingleNUMANodeContainerLevel]")))
                .as("nodes whose policies are known: %s", output)
                .hasSize(2);
        assertThat(shell.run(UserShell.documented("Mode `scheduler`")))
                .containsPattern("a +single-numa-node +3,4 ")
                .containsPattern("b +single-numa-node +3,4 ");
    }

    /** Five CPUs are free on both nodes, but not on one NUMA node. */
    private Pod placesPodsByZones() throws IOException, InterruptedException {
        for (SimplePod pod : List.of(
                SimplePod.named("fits").with("main", "cpu=3", "memory=1Gi"),
                SimplePod.named("waits").with("main", "cpu=5", "memory=1Gi"))) {
            cluster.client().resource(pod.scheduledBy("numaledger").build()).create();
        }
        await().atMost(TIMEOUT)
                .until(() -> pod("fits").getMetadata().getAnnotations() != null
                        && pod("fits").getMetadata().getAnnotations().containsKey(Annotations.OBSERVED)
                        && "Running".equals(pod("fits").getStatus().getPhase()));
        assertThat(shell.run(UserShell.documented("5. Run a pod").replace("NAME", "fits")))
                .contains(Annotations.PREDICTED, Annotations.OBSERVED);
        await().atMost(TIMEOUT)
                .until(() -> cluster.client().v1().events().inNamespace("default").list().getItems().stream()
                        .anyMatch(event -> "NumaUnschedulable".equals(event.getReason())
                                && "waits".equals(event.getInvolvedObject().getName())));
        assertThat(pod("waits").getSpec().getNodeName()).isNull();
        return pod("fits");
    }

    /** Absent, with a line that says so, if it is not installed. */
    private Optional<RecordingPrometheus> prometheus() throws IOException {
        Optional<Path> program = RecordingPrometheus.program();
        if (program.isEmpty()) {
            System.out.println("skipped: the dashboards' queries on this run, because prometheus is not installed;"
                    + " Debian has it in the package prometheus");
            return Optional.empty();
        }
        return Optional.of(new RecordingPrometheus(
                program.get(),
                home.resolve("prometheus"),
                Stream.concat(targets("agent", 9464), targets("bridge", 9444)).toList()));
    }

    private Stream<String> targets(String component, int port) {
        return cluster
                .client()
                .pods()
                .inNamespace("numaledger")
                .withLabel("app.kubernetes.io/component", component)
                .list()
                .getItems()
                .stream()
                .map(pod -> pod.getStatus().getPodIP() + ":" + port);
    }

    /** A rate needs two values. The metrics of problems have none here: there are no problems. */
    private static void everyQueryHasValues(RecordingPrometheus prometheus) throws IOException, InterruptedException {
        await().atMost(TIMEOUT)
                .until(() -> prometheus
                                .query("count(count_over_time(up[1h]) > 2) == 4")
                                .size()
                        == 1);
        assertThat(prometheus.query("up == 0")).isEmpty();
        Set<String> recorded = new TreeSet<>();
        prometheus.get("label/__name__/values").forEach(name -> recorded.add(name.asText()));
        Set<String> withoutValues = new TreeSet<>();
        for (String query : DashboardQueries.all()) {
            prometheus.query(query);
            Set<String> missing = DashboardQueries.metrics(query);
            missing.removeAll(recorded);
            withoutValues.addAll(missing);
            if (missing.isEmpty()) {
                assertThat(prometheus.query(DashboardQueries.withoutComparisons(query)))
                        .as(query)
                        .isNotEmpty();
            }
        }
        assertThat(withoutValues)
                .containsExactly(
                        "numaledger_bridge_devices_without_zone",
                        "numaledger_bridge_pods_without_record",
                        "numaledger_bridge_records_set_aside",
                        "numaledger_bridge_unmodelled_node");
        JsonNode alerts = prometheus.get("rules");
        assertThat(alerts.findValuesAsText("health"))
                .as("evaluations of %s", alerts)
                .hasSizeGreaterThan(10)
                .containsOnly("ok");
    }

    private Pod pod(String name) {
        return cluster.client().pods().inNamespace("default").withName(name).require();
    }

    private void upgrade() throws IOException, InterruptedException {
        shell.run("""
                helm upgrade numaledger charts/numaledger --namespace numaledger --reuse-values \
                  --set agent.logFormat=json,bridge.podLabels.upgraded=yes,scheduler.podLabels.upgraded=yes
                for each in daemonset/numaledger-agent deployment/numaledger-bridge deployment/numaledger-scheduler; do
                  kubectl -n numaledger rollout status "$each" --timeout=60s
                done
                """);
        assertThat(shell.run("kubectl -n numaledger logs daemonset/numaledger-agent"))
                .contains("\"event\":\"agent.started\"");
    }

    private void schedulersHaveAllRights() throws IOException, InterruptedException {
        assertThat(shell.run("kubectl -n numaledger logs deployment/numaledger-scheduler --all-pods --tail=-1"))
                .contains("Serving securely")
                .doesNotContain("forbidden");
    }

    private void uninstall(Set<String> before) throws IOException, InterruptedException {
        cluster.client().pods().inNamespace("default").delete();
        shell.run(UserShell.documented("Uninstall"));
        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(added(before))
                        .containsExactlyInAnyOrder(
                                "CustomResourceDefinition /noderesourcetopologies.topology.node.k8s.io",
                                "APIService /v1alpha1.topology.node.k8s.io", // made for the definition
                                "APIService /v1alpha2.topology.node.k8s.io",
                                "NodeResourceTopology /a",
                                "NodeResourceTopology /b",
                                "Lease kube-system/numaledger"));
    }

    private Set<String> added(Set<String> before) throws IOException, InterruptedException {
        return objects().stream()
                .filter(object -> !before.contains(object))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
