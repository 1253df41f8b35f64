package io.numaledger.e2e.install;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Releases of the chart in each mode, from the commands of docs/install.md: real kubelets, controllers and accounts, the images of this
 * build, and an unmodified kube-scheduler.
 */
class ChartInstallIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** Without what comes and goes by itself, the aggregated API, and the older form of EndpointSlices. */
    private static final String OBJECTS = """
            kinds=$(kubectl api-resources --verbs=list -o name | grep -vE '^(events|endpoints$|componentstatuses|numanodes|predictionaudits)' | paste -sd,)
            kubectl get "$kinds" -A -o jsonpath='{range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\\n"}{end}'
            """;

    /**
     * The start of a script that runs on a control plane node: it has the kubeconfig of the cluster's own scheduler, and the cluster's
     * DNS knows the bridge's Service. Its argument is an empty directory.
     */
    private static final String CONTROL_PLANE = """
            mount -t tmpfs tmpfs '%1$s'
            mkdir '%1$s/upper' '%1$s/work'
            mount -t overlay overlay -o 'lowerdir=/etc,upperdir=%1$s/upper,workdir=%1$s/work' /etc
            install -D "$KUBECONFIG" /etc/kubernetes/scheduler.conf
            address=$(kubectl -n numaledger get service numaledger-bridge --output jsonpath='{.spec.clusterIP}')
            echo "$address numaledger-bridge.numaledger.svc" >> /etc/hosts
            """;

    @TempDir
    private static Path home;

    private static SimCluster cluster;
    private static UserShell shell;
    private static ClusterPods pods;

    private Set<String> before;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        cluster = ProgramImages.cluster();
        shell = new UserShell(cluster, home);
        pods = new ClusterPods(cluster);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /**
     * The simulated cluster has the definition from its start. The chart must bring it. A test that failed may have left a release.
     */
    @BeforeEach
    void deleteDefinition() throws IOException, InterruptedException {
        shell.run("helm uninstall numaledger --namespace numaledger --ignore-not-found");
        shell.run(
                "kubectl delete --ignore-not-found customresourcedefinition noderesourcetopologies.topology.node.k8s.io");
        before = objects();
    }

    @Test
    void aReleaseIsInstalledUsedUpgradedAndUninstalled() throws IOException, InterruptedException {
        install("scheduler");
        assertThat(shell.run(UserShell.documented("Mode `scheduler`")))
                .containsPattern("a +Ready +single-numa-node +3,4 ")
                .containsPattern("b +Ready +single-numa-node +3,4 ");
        Pod fits;
        try (DashboardRun dashboards = DashboardRun.start(cluster, home.resolve("prometheus"))) {
            fits = placesPodsByZones("numaledger");
            assertThat(shell.run("helm test numaledger --namespace numaledger --logs"))
                    .contains("default/fits on node-");
            dashboards.everyQueryHasValues();
        }
        upgrade();
        assertThat(pods.get("fits").getStatus()).isEqualTo(fits.getStatus());
        schedulersHaveAllRights();
        pods.deleteAll();
        shell.run(UserShell.documented("Uninstall"));
        keeps("NodeResourceTopology /a", "NodeResourceTopology /b", "Lease kube-system/numaledger");
    }

    @Test
    void modeKaiInstallsAgentsOnlyAndItsCleanupRemovesWhatTheyWrote() throws IOException, InterruptedException {
        install("kai");
        assertThat(added()).noneMatch(object -> object.matches(".*(bridge|scheduler|numaledger[.]io).*"));
        pods.create(SimplePod.named("observed").with("main", "cpu=3", "memory=1Gi"));
        awaitObserved("observed");
        assertThat(shell.run(UserShell.documented("Mode `kai`")))
                .containsPattern("observed +\\[\\{\"zone\":\"node-[01]\",\"amount\":\\{\"cpu\":\"3\",");

        shell.run(UserShell.documented("Remove what the agents wrote"));
        shell.run(UserShell.documented("Uninstall"));
        assertThat(pods.get("observed").getMetadata().getAnnotations())
                .doesNotContainKeys(Annotations.OBSERVED, Annotations.PLACEMENT);
        pods.deleteAll();
        keeps();
    }

    @Test
    void theClustersOwnSchedulerCallsTheBridge() throws IOException, InterruptedException {
        install("reconfigured");
        shell.run("kubectl -n numaledger rollout status deployment/numaledger-bridge --timeout=60s");
        cluster.stopScheduler();
        Path etc = Files.createDirectory(home.resolve("etc"));
        String script = CONTROL_PLANE.formatted(etc)
                + UserShell.documented("Mode `reconfigured`: the cluster's own scheduler")
                + "exec kube-scheduler --config=/etc/kubernetes/numaledger/scheduler.yaml --secure-port=0";
        try (ChildProcess scheduler = shell.start("reconfigured-scheduler", script)) {
            placesPodsByZones("default-scheduler");
            assertThat(scheduler.isAlive()).isTrue();
        } finally {
            cluster.startScheduler();
        }
        pods.deleteAll();
        shell.run(UserShell.documented("Uninstall"));
        keeps("NodeResourceTopology /a", "NodeResourceTopology /b", "Lease kube-system/kube-scheduler");
    }

    /** Its arguments, mounts and rights, and nothing else. */
    @Test
    void theAgentRunsAsTheOperatorOfKaiStartsIt() throws IOException, InterruptedException {
        String manifest = "e2e/src/test/resources/kai-operator.yaml";
        shell.run("kubectl label node a b feature.node.kubernetes.io/memory-numa=true");
        shell.run("kubectl apply -f " + manifest);
        shell.run("kubectl -n kai-scheduler rollout status daemonset/numa-placement-exporter --timeout=60s");
        pods.create(SimplePod.named("observed").with("main", "cpu=3", "memory=1Gi"));
        awaitObserved("observed");
        assertThat(shell.run("kubectl -n kai-scheduler logs daemonset/numa-placement-exporter"))
                .contains("event=agent.started")
                .doesNotContain("Exception");
        pods.deleteAll();
        shell.run("kubectl delete --wait=false -f " + manifest);
    }

    private static Set<String> objects() throws IOException, InterruptedException {
        return shell.run(OBJECTS)
                .lines()
                .filter(object -> !object.startsWith("Lease kube-node-lease/"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void install(String mode) throws IOException, InterruptedException {
        String commands = UserShell.documented("3. Install the chart");
        assertThat(commands).contains("mode=scheduler");
        String output = shell.run(commands.replace("mode=scheduler", "mode=" + mode));
        assertThat(output).contains("daemon set \"numaledger-agent\" successfully rolled out");
        assertThat(output.lines().filter(line -> line.contains("[SingleNUMANodeContainerLevel]")))
                .as("nodes whose policies are known: %s", output)
                .hasSize(2);
    }

    /** Five CPUs are free on both nodes, but not on one NUMA node. */
    private static Pod placesPodsByZones(String scheduler) throws IOException, InterruptedException {
        pods.create(SimplePod.named("fits").with("main", "cpu=3", "memory=1Gi").scheduledBy(scheduler));
        pods.create(SimplePod.named("waits").with("main", "cpu=5", "memory=1Gi").scheduledBy(scheduler));
        awaitObserved("fits");
        assertThat(shell.run(UserShell.documented("5. Run a pod").replace("pod/hello", "pod/fits")))
                .containsPattern("fits +[ab] +node-[01]: .*observed");
        await().atMost(TIMEOUT)
                .until(() -> cluster.client().v1().events().inNamespace("default").list().getItems().stream()
                        .anyMatch(event -> "NumaUnschedulable".equals(event.getReason())
                                && pods.get("waits")
                                        .getMetadata()
                                        .getUid()
                                        .equals(event.getInvolvedObject().getUid())));
        assertThat(pods.get("waits").getSpec().getNodeName()).isNull();
        return pods.get("fits");
    }

    private static void awaitObserved(String pod) {
        await("pod %s runs and is observed".formatted(pod))
                .atMost(TIMEOUT)
                .until(() -> pods.get(pod).getMetadata().getAnnotations() != null
                        && pods.get(pod).getMetadata().getAnnotations().containsKey(Annotations.OBSERVED)
                        && pods.isRunning(pod));
    }

    private static void upgrade() throws IOException, InterruptedException {
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

    private static void schedulersHaveAllRights() throws IOException, InterruptedException {
        assertThat(shell.run("kubectl -n numaledger logs deployment/numaledger-scheduler --all-pods --tail=-1"))
                .contains("Serving securely")
                .doesNotContain("forbidden");
    }

    /** Of all that was added to the cluster, only the definition of the chart and these stay. */
    private void keeps(String... others) {
        List<String> kept = new ArrayList<>(List.of(
                "CustomResourceDefinition /noderesourcetopologies.topology.node.k8s.io",
                "APIService /v1alpha1.topology.node.k8s.io", // made for the definition
                "APIService /v1alpha2.topology.node.k8s.io"));
        kept.addAll(List.of(others));
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(added()).containsExactlyInAnyOrderElementsOf(kept));
    }

    private Set<String> added() throws IOException, InterruptedException {
        return objects().stream()
                .filter(object -> !before.contains(object))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
