package io.numaledger.simulator.deployment;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.BridgeOptions;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PlacementSource;
import io.numaledger.evaluation.snapshot.Unmodelled;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimClusterBuilder;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.PodRequests;
import io.numaledger.simulator.oracle.BridgeOracle;
import io.numaledger.simulator.workload.NodeResourcesFit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A cluster of real kubelets with an agent each, and a kube-scheduler that calls a bridge as the shipped configuration says. */
public final class BridgedCluster implements AutoCloseable {

    /** What is assumed only until the agents have published their nodes, and the kubelets have told of devices and pods. */
    private static final Set<Kind> PASSING = EnumSet.of(
            Kind.TOPOLOGY_POLICY,
            Kind.MANAGER_POLICIES,
            Kind.POLICY_OPTIONS,
            Kind.CORE_SHAPE,
            Kind.NO_DEVICE_PLUGIN,
            Kind.DEVICES_CHANGED,
            Kind.DEVICES_CONTRADICTED,
            Kind.AGENT_AWAY,
            Kind.KUBELET_RESTARTING,
            Kind.NOT_YET_SEEN,
            Kind.NO_RECORD,
            Kind.PODS_MISSING,
            Kind.PARTIAL_RECORD);

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    private final SimCluster cluster;
    private final KubernetesClient client;
    private final Bridge bridge;
    private final ClusterAgents agents;

    private BridgedCluster(SimCluster cluster, Credentials credentials, KubernetesClient client, Bridge bridge) {
        this.cluster = cluster;
        this.client = client;
        this.bridge = bridge;
        this.agents = new ClusterAgents(cluster, credentials.agents());
    }

    /**
     * Starts all of it, and returns when everything that is published of the nodes is known to the bridge.
     *
     * @param nodes as YAML
     * @param access makes the credentials when the cluster is there
     * @param flags of the bridge, beside the defaults
     */
    public static BridgedCluster start(
            KubeBinaries binaries, String nodes, Function<SimCluster, Credentials> access, String... flags) {
        return start(SimCluster.builder(binaries).nodes(NodeSpecYaml.parse(nodes)), access, flags);
    }

    /**
     * The same, but the scheduler calls other bridges, and this one only watches.
     *
     * @param schedulerConfiguration names the others, which need not run yet
     */
    public static BridgedCluster watching(
            KubeBinaries binaries,
            String nodes,
            String schedulerConfiguration,
            Function<SimCluster, Credentials> access) {
        return start(
                SimCluster.builder(binaries)
                        .nodes(NodeSpecYaml.parse(nodes))
                        .schedulerConfiguration(schedulerConfiguration),
                FreePort.next(),
                access);
    }

    /**
     * The same for a cluster whose scheduler is not configured yet, with the aggregated API, as the chart installs it: {@code kubectl
     * numa} and {@code kubectl get numanodes} work.
     *
     * @param steps hears of each step of the start, when it begins
     */
    public static BridgedCluster startWithApi(SimClusterBuilder builder, Consumer<String> steps) {
        BridgeApi api = new BridgeApi(FreePort.next(), FreePort.next());
        BridgedCluster started = start(
                builder.steps(steps).aggregation(api::schedulerConfiguration),
                Credentials::ofAdministrator,
                cluster -> api.options(cluster.certificates()),
                steps);
        try {
            SimCluster cluster = started.cluster();
            api.register(cluster.client(), cluster.certificates(), cluster.directory());
        } catch (RuntimeException e) {
            started.closeAndKeepFiles();
            throw e;
        }
        return started;
    }

    /** The same for a cluster with settings of its own, such as feature gates. */
    public static BridgedCluster start(
            SimClusterBuilder builder, Function<SimCluster, Credentials> access, String... flags) {
        int port = FreePort.next();
        String shipped = SchedulerConfig.text(
                "http://127.0.0.1:" + port, "default-scheduler", Optional.empty(), Optional.empty(), false);
        return start(builder.schedulerConfiguration(shipped), port, access, flags);
    }

    private static BridgedCluster start(
            SimClusterBuilder builder, int port, Function<SimCluster, Credentials> access, String... flags) {
        return start(builder, access, cluster -> BridgeOptions.plainHttp(port, flags), step -> {});
    }

    private static BridgedCluster start(
            SimClusterBuilder builder,
            Function<SimCluster, Credentials> access,
            Function<SimCluster, BridgeOptions> options,
            Consumer<String> steps) {
        SimCluster cluster = builder.start();
        try {
            steps.accept("agents and bridge");
            Credentials credentials = access.apply(cluster);
            KubernetesClient client = ClusterReader.client(Optional.of(credentials.bridge()));
            Bridge bridge = new Bridge(options.apply(cluster), client);
            BridgedCluster bridged = new BridgedCluster(cluster, credentials, client, bridge);
            bridge.start();
            Wait.until("the bridge knows every node")
                    .seeing(bridged::describeKnown)
                    .log(cluster.directory())
                    .holds(bridged::isKnown);
            bridged.inexact().forEach(steps);
            return bridged;
        } catch (IOException e) {
            cluster.closeAndKeepFiles();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            cluster.closeAndKeepFiles();
            throw e;
        }
    }

    private boolean isKnown() {
        return bridge.isReady() && cluster.nodes().stream().allMatch(this::isKnown);
    }

    private boolean isKnown(SimNode node) {
        return missing(node).isEmpty();
    }

    /** What is not published of a node yet. */
    private Optional<String> missing(SimNode node) {
        Optional<NodeSnapshot> known = bridge.cluster().snapshot(node.name());
        if (known.isEmpty()) {
            return Optional.of("no Node");
        }
        NodeSnapshot snapshot = known.get();
        Optional<Unmodelled> unmodelled = snapshot.model().unmodelled();
        if (unmodelled.isPresent()) {
            return unmodelled
                    .filter(why -> why.kind() != Unmodelled.Kind.UNSUPPORTED)
                    .map(Unmodelled::message);
        }
        boolean hasResources = alignsNothing(node.spec())
                || snapshot.topology().orElseThrow().zones().stream()
                        .anyMatch(zone -> !zone.resources().isEmpty());
        return hasResources
                ? snapshot.assumptions().stream()
                        .filter(each -> PASSING.contains(each.kind()))
                        .findFirst()
                        .map(each -> PodNames.ALL.text(each.sentence()))
                : Optional.of("the zones have no resources");
    }

    /** Such as {@code node "n" is not exact: cores, sockets and caches are not published …}. */
    private List<String> inexact() {
        return bridge.cluster().snapshots().stream()
                .filter(node -> node.confidence() != Confidence.EXACT)
                .map(node -> "node \"%s\" is not exact: %s".formatted(node.name(), PodNames.ALL.text(node.reason())))
                .toList();
    }

    /** Zones of such a node have no resources. */
    private static boolean alignsNothing(NodeSpec spec) {
        return !spec.kubelet().staticCpus()
                && !spec.kubelet().staticMemory()
                && spec.devices().isEmpty();
    }

    private String describeKnown() {
        return "bridge_ready=%b missing=%s"
                .formatted(
                        bridge.isReady(),
                        cluster.nodes().stream()
                                .flatMap(node -> missing(node).map(what -> node.name() + ": " + what).stream())
                                .toList());
    }

    /** Whether a pod without a node fits on some node now, as a whole and by zones. */
    public Predicate<Pod> fits() {
        NodeResourcesFit totals = NodeResourcesFit.read(cluster.client());
        return pod -> {
            PodFacts facts = PodRequests.facts(pod);
            return totals.nodesFor(pod).stream()
                    .anyMatch(node -> FullModel.evaluate(
                                    bridge.cluster().snapshot(node).orElseThrow(), facts)
                            .admits());
        };
    }

    /** Waits until the bridge's cluster state equals the kubelets' state files, and returns the comparison. */
    public BridgeOracle awaitStateEqualsKubelets() {
        Wait.until("all pods are observed")
                .log(cluster.directory())
                .value(
                        () -> bridge.cluster().snapshots().stream()
                                .flatMap(node -> node.pods().stream())
                                .filter(held -> held.source() == PlacementSource.RESERVED)
                                .toList(),
                        List::isEmpty);
        return Wait.until("the bridge's state equals the kubelets'")
                .log(cluster.directory())
                .value(this::compare, found -> found.wrong().isEmpty());
    }

    private BridgeOracle compare() {
        return BridgeOracle.of(
                cluster,
                bridge.cluster(),
                cluster.client().pods().inNamespace("default").list().getItems());
    }

    public ClusterAgents agents() {
        return agents;
    }

    /** Counters of the bridge, as one line. */
    public String figures() {
        return metrics()
                .filter(line -> line.startsWith("numaledger_bridge_binds_total")
                        || line.startsWith("numaledger_bridge_requeues_total")
                        || (line.startsWith("numaledger_bridge_predictions_total") && !line.endsWith(" 0.0"))
                        || line.startsWith("numaledger_bridge_kubelet_rejections_after_bind_total"))
                .map(line -> line.replace("numaledger_bridge_", "").replace("\"", ""))
                .collect(Collectors.joining(" "));
    }

    /** The lines at /metrics. */
    public Stream<String> metrics() {
        return ask(HttpRequest.newBuilder(address("/metrics")));
    }

    private URI address(String path) {
        return URI.create("http://127.0.0.1:" + bridge.address().getPort() + path);
    }

    private static Stream<String> ask(HttpRequest.Builder request) {
        try {
            return HttpClient.newHttpClient()
                    .send(request.build(), BodyHandlers.ofLines())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the bridge was asked", e);
        }
    }

    /** Sends the bridge a filter call, as kube-scheduler does. Returns the answer. */
    public String filter(Pod pod, String node) {
        String body = "{\"Pod\":%s,\"NodeNames\":[\"%s\"]}".formatted(TYPED.asJson(pod), node);
        return ask(HttpRequest.newBuilder(address("/filter")).POST(BodyPublishers.ofString(body)))
                .collect(Collectors.joining());
    }

    public SimCluster cluster() {
        return cluster;
    }

    public Bridge bridge() {
        return bridge;
    }

    @Override
    public void close() {
        agents.close();
        bridge.close();
        client.close();
        cluster.close();
    }

    private void closeAndKeepFiles() {
        agents.close();
        bridge.close();
        client.close();
        cluster.closeAndKeepFiles();
    }
}
