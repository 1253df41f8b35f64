package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.BridgeOptions;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.simulator.workload.SimplePod;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.awaitility.Awaitility.await;

/**
 * A real API server and real kube-schedulers with a bridge each. Nodes are objects without kubelet, so that there can be many. A pod
 * that is created on a node holds the CPUs of its annotation.
 */
final class BareCluster implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final Path directory;
    private final RealApiServer server;
    private final KubernetesClient client;

    BareCluster(Path directory) throws IOException {
        this.directory = directory;
        this.server = RealApiServer.start(RealKubernetes.binaries().directory(), directory.resolve("api"));
        this.client = ClusterReader.client(Optional.of(server.kubeconfig()));
    }

    /** A scheduler, and the bridge that it calls. */
    record Scheduler(String name, Bridge bridge, CountingFront front, ChildProcess process) implements AutoCloseable {

        @Override
        public void close() {
            process.close();
            front.close();
            bridge.close();
        }

        private String url() {
            return "http://127.0.0.1:" + bridge.address().getPort();
        }

        /** How often the bridge has had pods tried again. */
        long requeues() {
            return (long) ask(HttpRequest.newBuilder(URI.create(url() + "/metrics")))
                    .lines()
                    .filter(line -> line.startsWith("numaledger_bridge_requeues_total"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                    .sum();
        }

        /** Sends the bridge a filter call for a pod of another scheduler. Returns the answer. */
        String filter(Pod pod, List<String> nodes) {
            String body = "{\"Pod\":%s,\"NodeNames\":%s}"
                    .formatted(
                            Serialization.asJson(pod),
                            Serialization.asJson(nodes).replace("\n", ""));
            return ask(HttpRequest.newBuilder(URI.create(url() + "/filter")).POST(BodyPublishers.ofString(body)));
        }

        private static String ask(HttpRequest.Builder request) {
            try {
                return HttpClient.newHttpClient()
                        .send(request.build(), BodyHandlers.ofString())
                        .body();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the bridge was asked", e);
            }
        }
    }

    /**
     * Starts a scheduler with the shipped configuration. Nodes without zones are held.
     *
     * @param flags of kube-scheduler
     */
    Scheduler startScheduler(String name, ZoneRefusals zoneRefusals, String... flags) throws IOException {
        BridgeOptions options = BridgeOptions.plainHttp(0, "--zone-refusals=" + zoneRefusals, "--unknown-nodes=hold");
        Bridge bridge = new Bridge(options, client);
        bridge.start();
        await("the bridge is ready").atMost(TIMEOUT).until(bridge::isReady);
        CountingFront front =
                new CountingFront("http://127.0.0.1:" + bridge.address().getPort());
        return new Scheduler(name, bridge, front, startScheduler(name, front.url(), flags));
    }

    /** Starts a scheduler that calls another extender. */
    ChildProcess startScheduler(String name, String extender, String... flags) throws IOException {
        Path file = Files.writeString(directory.resolve(name + ".yaml"), configuration(extender, name));
        List<String> command = new ArrayList<>(List.of(
                RealKubernetes.binaries().directory().resolve("kube-scheduler").toString(),
                "--config=" + file,
                "--secure-port=0"));
        command.addAll(List.of(flags));
        return ChildProcess.start("scheduler-" + name, directory, command);
    }

    String configuration(String url, String name) {
        return SchedulerConfig.text(url, name, Optional.of(server.kubeconfig()), Optional.empty(), false);
    }

    void create(List<HasMetadata> objects) {
        objects.forEach(each -> client.resource(each).create());
    }

    ClusterObjects read() throws IOException {
        return ClusterReader.read(client);
    }

    void createPriority(String name, int value) {
        client.resource(new PriorityClassBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withValue(value)
                        .build())
                .create();
    }

    /** A node of 7 CPUs, with the label {@code group}. */
    void createNode(String group, String name) {
        Map<String, Quantity> amounts =
                Map.of("cpu", new Quantity("7"), "memory", new Quantity("64Gi"), "pods", new Quantity("1000"));
        client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels("group", group)
                        .endMetadata()
                        .withNewStatus()
                        .withCapacity(amounts)
                        .withAllocatable(amounts)
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .endCondition()
                        .endStatus()
                        .build())
                .create();
    }

    /** Two zones of four CPUs, CPU 0 reserved; policy single-numa-node. */
    void publishZones(String node) {
        client.resource(Serialization.unmarshal("""
                        apiVersion: topology.node.k8s.io/v1alpha2
                        kind: NodeResourceTopology
                        metadata: {name: %s}
                        attributes:
                        - {name: topologyManagerPolicy, value: single-numa-node}
                        - {name: topologyManagerScope, value: container}
                        - {name: cpuManagerPolicy, value: static}
                        - {name: memoryManagerPolicy, value: None}
                        zones:
                        - name: node-0
                          type: Node
                          attributes: [{name: cpus, value: 0-3}, {name: reservedSystemCPUs, value: "0"}]
                          resources: [{name: cpu, capacity: "4", allocatable: "3", available: "3"}]
                        - name: node-1
                          type: Node
                          attributes: [{name: cpus, value: 4-7}, {name: reservedSystemCPUs, value: ""}]
                          resources: [{name: cpu, capacity: "4", allocatable: "4", available: "4"}]
                        """.formatted(node), GenericKubernetesResource.class))
                .create();
    }

    /** A pod that only nodes of the group may run. */
    Pod createPod(SimplePod pod, String group, String priority, Map<String, String> annotations) {
        return createPod(pod.build(), group, priority, annotations);
    }

    Pod createPod(Pod pod, String group, String priority, Map<String, String> annotations) {
        return client.resource(new PodBuilder(pod)
                        .editMetadata()
                        .withAnnotations(annotations)
                        .endMetadata()
                        .editSpec()
                        .addToNodeSelector("group", group)
                        .withPriorityClassName(priority)
                        .endSpec()
                        .build())
                .create();
    }

    Pod pod(String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    void deleteNode(String name) {
        client.nodes().withName(name).delete();
    }

    void deletePod(String name) {
        client.pods().inNamespace("default").withName(name).withGracePeriod(0).delete();
    }

    /** What kube-scheduler, and the bridge, say about a pending pod. */
    String conditions(String pod) {
        return pod(pod).getStatus().getConditions().toString();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
