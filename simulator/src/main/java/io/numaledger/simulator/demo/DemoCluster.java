package io.numaledger.simulator.demo;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.BridgeOptions;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.placement.Placement;
import io.numaledger.simulator.hardware.ExampleNodes;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.node.ReportLag;
import io.numaledger.simulator.node.SimulatedNodes;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** An API server, the example nodes with an agent each, and a scheduler with or without a bridge. Its pods can be run again. */
final class DemoCluster implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(20);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final List<NodeSpec> specs;
    private final Path directory;
    private final Path kubeconfig;
    private final SimulatedNodes nodes;
    private final KubernetesClient client;
    private String seen = "";

    /**
     * Starts all of it; nothing is left running if a part does not start.
     *
     * @param binaries etcd and kube-apiserver; absent: the API server is in memory
     * @param directory gets logs, sockets and the kubeconfig
     */
    DemoCluster(Optional<Path> binaries, Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.specs = ExampleNodes.read();
        try {
            this.kubeconfig = startApiServer(binaries);
            this.nodes = opened(SimulatedNodes.start(kubeconfig, specs, directory, node -> ReportLag.none()));
            this.client = nodes.client();
            waitUntil("the agents publish the zones of all nodes", this::isEachNodePublished);
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    private Path startApiServer(Optional<Path> binaries) throws IOException {
        if (binaries.isPresent()) {
            return opened(RealApiServer.start(binaries.get(), directory.resolve("api")))
                    .kubeconfig();
        }
        return opened(EmbeddedApiServer.start()).writeKubeconfig(directory.resolve("kubeconfig"));
    }

    /** The condition puts into {@link #seen} what it has seen. An agent that ends ends the wait. */
    private void waitUntil(String what, Wait.Condition condition) {
        seen = "";
        Wait.until(what).pollInterval(POLL).log(directory).seeing(() -> seen).holds(() -> {
            this.nodes.requireAgents();
            return condition.holds();
        });
    }

    private boolean isEachNodePublished() throws IOException {
        List<String> published = topologies().stream().map(NodeTopology::node).toList();
        seen = "nodes with zones: " + published;
        return published.size() == specs.size();
    }

    /** Starts a bridge, and returns its address. */
    URI startBridge() throws IOException {
        Bridge bridge =
                opened(new Bridge(BridgeOptions.plainHttp(0), opened(ClusterReader.client(Optional.of(kubeconfig)))));
        bridge.start();
        waitUntil("the bridge has read the cluster", bridge::isReady);
        return URI.create("http://127.0.0.1:" + bridge.address().getPort());
    }

    Path kubeconfig() {
        return kubeconfig;
    }

    /** The zones as they are now. */
    EvaluatedZones zones() throws IOException {
        return new EvaluatedZones(ClusterReader.read(client), SnapshotSettings.DEFAULT);
    }

    /**
     * Creates the pods one by one, schedules each, and waits until its kubelet has decided.
     *
     * @return the pods, with what became of them
     */
    List<Pod> run(List<DemoPods.Wanted> wanted, Optional<URI> bridge) throws IOException, InterruptedException {
        DemoScheduler scheduler = new DemoScheduler(client, bridge);
        for (DemoPods.Wanted each : wanted) {
            Pod pod = client.resource(DemoPods.pod(each)).create();
            Optional<String> node = scheduler.schedule(pod);
            if (node.isPresent()) {
                waitUntil("the kubelet of %s decides on pod %s".formatted(node.get(), each.name()), () -> {
                    seen = "phase=" + phase(pod(each.name()));
                    return !seen.equals("phase=Pending");
                });
            }
        }
        waitUntil("the agents publish what the pods hold", () -> isPublished(pods(wanted)));
        return pods(wanted);
    }

    /** Deletes all pods, and waits until the zones are free. */
    void clear() {
        client.pods().inNamespace("default").withGracePeriod(0).delete();
        waitUntil("the agents publish that the zones are free", () -> isPublished(List.of()));
    }

    private Pod pod(String name) {
        return client.pods().inNamespace("default").withName(name).require();
    }

    private List<Pod> pods(List<DemoPods.Wanted> wanted) {
        return wanted.stream().map(each -> pod(each.name())).toList();
    }

    static String phase(Pod pod) {
        return pod.getStatus() == null || pod.getStatus().getPhase() == null
                ? "Pending"
                : pod.getStatus().getPhase();
    }

    /** Whether the agents have observed all running pods, and subtracted them from the zones. */
    private boolean isPublished(List<Pod> pods) throws IOException {
        Map<String, Placement> held = new TreeMap<>();
        for (Pod pod : pods) {
            Optional<Placement> observed = observed(pod);
            if (observed.isEmpty() && phase(pod).equals("Running") && holdsSomething(pod)) {
                seen = "no placement of pod " + pod.getMetadata().getName();
                return false;
            }
            observed.ifPresent(placement -> held.merge(pod.getSpec().getNodeName(), placement, Placement::plus));
        }
        List<String> others = topologies().stream()
                .filter(node -> !taken(node).equals(held.getOrDefault(node.node(), Placement.EMPTY)))
                .map(NodeTopology::node)
                .toList();
        seen = "nodes whose zones are not up to date: " + others;
        return others.isEmpty();
    }

    private static Placement taken(NodeTopology node) {
        Placement.Builder taken = new Placement.Builder();
        node.numaZones()
                .forEach((id, zone) -> zone.resources()
                        .forEach((name, amounts) -> taken.add(id, name, amounts.allocatable() - amounts.available())));
        return taken.build();
    }

    /** The agent's record of a pod. */
    static Optional<Placement> observed(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Annotations.OBSERVED))
                .map(ObservedPlacementText::read);
    }

    private static boolean holdsSomething(Pod pod) {
        boolean devices = pod.getSpec().getContainers().get(0).getResources().getRequests().keySet().stream()
                .anyMatch(resource -> resource.contains("/"));
        return devices || "Guaranteed".equals(pod.getStatus().getQosClass());
    }

    private List<NodeTopology> topologies() throws IOException {
        List<NodeTopology> found = new ArrayList<>();
        for (NodeSpec spec : specs) {
            String text = topology(spec);
            if (text != null) {
                found.add(NodeTopologyJson.read(text));
            }
        }
        return found;
    }

    private @Nullable String topology(NodeSpec spec) {
        return client.raw("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/" + spec.name());
    }

    Optional<String> refusal(Pod pod) {
        return nodes.refusal(pod.getMetadata().getUid());
    }

    /** Writes the stored objects into a directory of this name. */
    void dump(String name) throws IOException {
        Path objects = Files.createDirectories(directory.resolve(name));
        for (NodeSpec spec : specs) {
            Files.writeString(
                    objects.resolve("noderesourcetopology-" + spec.name() + ".json"), String.valueOf(topology(spec)));
        }
        Files.writeString(objects.resolve("pods.json"), String.valueOf(client.raw("/api/v1/namespaces/default/pods")));
    }

    @Override
    public void close() throws IOException {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("cannot stop a part of the demo", e);
            }
        }
    }
}
