package io.numaledger.agent.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.NodeOwner;
import io.numaledger.agent.api.Pods;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.agent.api.Topologies;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.metrics.AgentMetrics;
import io.numaledger.agent.metrics.ApiRequest;
import io.numaledger.agent.statefiles.KubeletStateFiles;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.nrt.profile.ProfileName;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.server.PodResourcesServer;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import static org.awaitility.Awaitility.await;

/**
 * A {@link NodeAgent} between an embedded API server and a scripted kubelet on a unix socket. The test starts each reconciliation and
 * sets the time. The machine has two NUMA nodes with 8 CPUs, 16 GiB and two GPUs each. The agent reads the kubelet's state
 * files if the directory {@code kubelet} exists.
 */
final class AgentOnServer implements AutoCloseable {

    static final String NODE = "worker";
    static final String NRT = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/" + NODE;
    static final long GIB = 1L << 30;
    static final AllocatableResources ALLOCATABLE = new AllocatableResources(
            CpuSet.range(1, 15),
            List.of(new MemoryBlock("memory", 15 * GIB, List.of(0)), new MemoryBlock("memory", 16 * GIB, List.of(1))),
            List.of(gpu("0", 0), gpu("1", 0), gpu("2", 1), gpu("3", 1)));

    private static final ObjectMapper JSON = new ObjectMapper();
    static final MachineTopology MACHINE =
            new MachineTopology(CpuSet.range(0, 15), List.of(node(0, "0-7"), node(1, "8-15")), List.of());

    final ScriptedResources kubelet = new ScriptedResources(ALLOCATABLE);
    final EmbeddedApiServer server = EmbeddedApiServer.start();
    private final Path socket;
    private final ApiServer api;
    private final PodResourcesClient client;
    private final boolean kaiStrict;
    private NodeAgent agent;
    private final Pods pods;
    private final Topologies topologies;
    private final AtomicReference<Supplier<MachineTopology>> machine = new AtomicReference<>(() -> MACHINE);
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final AgentMetrics metrics = new AgentMetrics(registry);
    private final AtomicReference<Exclusions> excluded = new AtomicReference<>(Exclusions.NONE);
    private PodResourcesServer listening;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    AgentOnServer(Path directory, boolean kaiStrict) throws IOException {
        socket = directory.resolve("kubelet.sock");
        listening = new PodResourcesServer(socket, kubelet);
        api = ApiServer.connect(
                Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))),
                new RequestBudget(1000, 1000, System::nanoTime));
        api.observe((method, path, status) -> metrics.apiRequest(ApiRequest.of(method, path, status)));
        client = new PodResourcesClient(
                socket, Duration.ofSeconds(10), warning -> {}, kaiStrict, PodResourcesClient.LIMIT_BYTES);
        createNode();
        pods = new Pods(api, NODE, () -> {});
        topologies = new Topologies(api, NODE, () -> {});
        this.kaiStrict = kaiStrict;
        agent = newAgent();
    }

    private NodeAgent newAgent() {
        return new NodeAgent(
                new NodeAgent.Parts(
                        () -> new NodeProbe.Reading(machine.get().get(), List.of()),
                        client,
                        Optional.of(socket.resolveSibling("kubelet"))
                                .filter(Files::isDirectory)
                                .map(KubeletStateFiles::new),
                        pods,
                        topologies,
                        NodeOwner.node(api, NODE),
                        metrics,
                        () -> now),
                new NodeAgent.Settings(
                        NODE,
                        () -> KubeletSettings.UNKNOWN,
                        kaiStrict,
                        ProfileName.NUMALEDGER.profile(false),
                        excluded::get));
    }

    /** Another process of the agent takes over. */
    void agentRestarts() {
        agent = newAgent();
    }

    /** Sets the machine that the next read of sysfs finds. */
    void machineIs(MachineTopology shown) {
        machine.set(() -> shown);
    }

    /** Makes reads of sysfs throw this. */
    void machineFails(RuntimeException thrown) {
        machine.set(() -> {
            throw thrown;
        });
    }

    /** The same with an error. */
    void machineFails(Error thrown) {
        machine.set(() -> {
            throw thrown;
        });
    }

    /** The value of a metric, such as {@code pods_annotated}; 0 if the metric does not exist. */
    long metric(String name) {
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith("numaledger_agent_" + name + " "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    /** The series of zones, without the common beginning of their names. */
    List<String> zoneMetrics() {
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith("numaledger_zone_"))
                .map(line -> line.substring("numaledger_zone_".length()))
                .toList();
    }

    void leaveOut(Exclusions exclusions) {
        excluded.set(exclusions);
    }

    /** Runs one reconciliation, five seconds after the previous one. */
    NodeAgent.Reconciliation reconcile() throws IOException {
        return reconcile(Duration.ofSeconds(5));
    }

    NodeAgent.Reconciliation reconcile(Duration later) throws IOException {
        now = now.plus(later);
        return AgentLoop.once(agent, pods);
    }

    NodeAgent.Reconciliation reconcileAt(Instant time) throws IOException {
        return reconcile(Duration.between(now, time));
    }

    /** Runs one reconciliation that also reads what other reconciliations take from a cache. */
    NodeAgent.Reconciliation reconcileEverything(Duration later) throws IOException {
        agent.refresh();
        return reconcile(later);
    }

    void kubeletStops() throws IOException {
        listening.close();
        agent.kubeletGone();
    }

    void kubeletStarts() throws IOException {
        listening = new PodResourcesServer(socket, kubelet);
    }

    /** From now on the agent watches its pods. */
    void watchesPods() {
        server.faults().once(request -> request.parameter("watch").isPresent(), new Fault.CutWatch(1));
        pods.startWatching();
        await().until(pods::known);
    }

    /** The API server answers nothing about pods any more, after an event of this one. */
    void losesApiServer(String podName) throws IOException {
        server.faults().always(request -> request.path().equals("/api/v1/pods"), Fault.ErrorResponse.unavailable());
        annotate(podName, "example.com/any", "event");
        await().atMost(Duration.ofMinutes(3)).until(pods::outOfTouch);
    }

    /** The same without reading the pods before. */
    NodeAgent.Reconciliation reconcileWatching(Duration later) {
        now = now.plus(later);
        agent.refresh();
        return agent.reconcile();
    }

    void createNode() throws IOException {
        api.post(
                "/api/v1/nodes",
                "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"worker\"}}",
                j -> "");
    }

    void delete(String path) throws IOException {
        api.delete(path);
    }

    /** Creates a running pod on this node. */
    void run(String name) throws IOException {
        api.post("/api/v1/namespaces/default/pods", """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"},
                 "spec":{"nodeName":"worker","containers":[{"name":"c","image":"none"}]}}""".formatted(name), json -> "");
        status(name, "Running");
    }

    void status(String name, String phase) throws IOException {
        api.patch(
                pod(name) + "/status",
                ApiServer.MERGE_PATCH,
                "{\"status\":{\"phase\":\"%s\",\"startTime\":\"2026-01-01T00:00:00Z\"}}".formatted(phase),
                json -> "");
    }

    void annotate(String name, String key, String value) throws IOException {
        String body = JSON.createObjectNode()
                .set(
                        "metadata",
                        JSON.createObjectNode()
                                .set("annotations", JSON.createObjectNode().put(key, value)))
                .toString();
        api.patch(pod(name), ApiServer.MERGE_PATCH, body, json -> "");
    }

    static String pod(String name) {
        return "/api/v1/namespaces/default/pods/" + name;
    }

    Map<String, String> annotations(String name) throws IOException {
        JsonNode found = read(pod(name)).at("/metadata/annotations");
        TreeMap<String, String> annotations = new TreeMap<>();
        found.properties()
                .forEach(entry ->
                        annotations.put(entry.getKey(), entry.getValue().asText()));
        return annotations;
    }

    NodeTopology topology() throws IOException {
        return api.get(NRT, json -> NodeTopologyJson.read(json).topology());
    }

    long available(int numaNode, String resource) throws IOException {
        return topology().numaZones().get(numaNode).resources().get(resource).available();
    }

    String nodeUid() throws IOException {
        return uid("/api/v1/nodes/" + NODE);
    }

    String uid(String path) throws IOException {
        return read(path).at("/metadata/uid").asText();
    }

    private JsonNode read(String path) throws IOException {
        return api.get(path, json -> JSON.<JsonNode>readTree(json));
    }

    /** Overwrites the NodeResourceTopology as another publisher would. */
    void otherPublishes(String fieldManager, String policy) throws IOException {
        api.patch(
                NRT + "?force=true&fieldManager=" + fieldManager,
                ApiServer.APPLY_PATCH,
                NodeTopologyJson.write(new NodeTopology(
                        NODE, Optional.empty(), new TreeMap<>(Map.of("topologyManagerPolicy", policy)), List.of())),
                json -> "");
    }

    /** The writes of the agent since the last call of this method. */
    List<RecordedRequest> writes() {
        List<RecordedRequest> writes = server.requests()
                .matching(request -> request.isWrite()
                        && request.parameter("fieldManager")
                                .filter("numaledger-agent"::equals)
                                .isPresent());
        server.requests().clear();
        return writes;
    }

    static PodAllocation holder(String name, String cpus, long memoryGib, DeviceAllocation... devices) {
        CpuSet set = CpuSet.parse(cpus);
        int numaNode = set.ids().min().orElse(0) < 8 ? 0 : 1;
        List<MemoryBlock> memory =
                memoryGib == 0 ? List.of() : List.of(new MemoryBlock("memory", memoryGib * GIB, List.of(numaNode)));
        return new PodAllocation("default", name, List.of(new ContainerAllocation("c", set, memory, List.of(devices))));
    }

    static DeviceAllocation gpu(String id, int numaNode) {
        return new DeviceAllocation("nvidia.com/gpu", id, List.of(numaNode));
    }

    private static NumaNode node(int id, String cpus) {
        return new NumaNode(
                id,
                CpuSet.parse(cpus),
                OptionalLong.of(16 * GIB),
                new TreeMap<>(),
                new TreeMap<>(Map.of(id, 10, 1 - id, 21)));
    }

    @Override
    public void close() throws IOException {
        pods.close();
        topologies.close();
        client.close();
        api.close();
        listening.close();
        server.close();
    }
}
