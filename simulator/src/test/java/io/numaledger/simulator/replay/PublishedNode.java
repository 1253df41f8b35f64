package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.run.KubeletAnswer;
import io.numaledger.agent.run.Observation;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.PodRecords;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.apiobjects.recording.RecordedPod;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.nrt.profile.ProfileName;
import io.numaledger.nrt.profile.TopologyProfile;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.placement.ReportedEntries;
import io.numaledger.placement.ReportedEntries.Entry;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A recorded node as its agent would publish it: objects as text, made from nothing but the kubelet's podresources answers, sysfs,
 * the kubelet's configuration, and what was published before.
 */
final class PublishedNode {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final boolean stateFiles;
    private KubeletModel kubelet;
    private NodeState state;
    private final Map<String, JsonNode> specs = new LinkedHashMap<>();
    private final Map<String, PodAllocation> listed = new TreeMap<>();
    private final Map<String, PodAllocation> held = new TreeMap<>();
    private final Map<String, String> predicted = new TreeMap<>();
    private Map<String, Placement> earlier = new TreeMap<>();

    /** @param stateFiles the agent reads what plain init containers keep from the kubelet's state files */
    PublishedNode(KubeletModel kubelet, boolean stateFiles) {
        this.kubelet = kubelet;
        this.state = kubelet.empty();
        this.stateFiles = stateFiles;
    }

    /** The kubelet's devices, its configuration or what it remembers have changed. */
    void now(KubeletModel kubelet, NodeState state) {
        this.kubelet = kubelet;
        this.state = state;
    }

    private CpuSet stateCpus() {
        return state.cpus()
                .map(cpus -> Stream.of(cpus.byPod().keySet(), cpus.podCpus().keySet())
                        .flatMap(Set::stream)
                        .map(cpus::heldBy)
                        .reduce(cpus.shared(), CpuSet::union))
                .orElse(CpuSet.EMPTY);
    }

    void admitted(JsonNode pod, Admitted admitted) {
        admitted(pod, admitted, false);
    }

    /** A restarted kubelet allocates memory to init containers that have ended. */
    void readmitted(JsonNode pod, Admitted admitted) {
        admitted(pod, admitted, true);
    }

    private void admitted(JsonNode pod, Admitted admitted, boolean again) {
        String name = RecordedJson.text(pod, "name");
        Set<String> ended = RecordedJson.list(pod, "initContainers").stream()
                .filter(init -> !init.path("restartPolicy").asText().equals("Always"))
                .map(init -> RecordedJson.text(init, "name"))
                .collect(Collectors.toSet());
        specs.put(name, pod);
        PodAllocation all = kubelet.listed(RecordedPod.read(pod), admitted);
        PodAllocation reported = new PodAllocation(
                "default", name, all.containers(), all.cpus(), all.memory(), Optional.of(reported(all.containers())));
        listed.put(name, reported);
        held.put(name, stateFiles ? withKept(reported, ended, admitted, again) : reported);
    }

    /** As the agent adds them: what no other container of the pod has. Their memory is free once they have ended. */
    private static PodAllocation withKept(PodAllocation pod, Set<String> ended, Admitted admitted, boolean memory) {
        CpuSet cpus = pod.allCpus();
        Set<DeviceAllocation> taken = new TreeSet<>();
        pod.containers().forEach(container -> taken.addAll(container.devices()));
        List<ContainerAllocation> all = new ArrayList<>(pod.containers());
        for (PredictedContainer container : admitted.containers()) {
            if (ended.contains(container.name())) {
                all.add(new ContainerAllocation(
                        container.name(),
                        container.cpus().minus(cpus),
                        memory ? container.memory() : List.of(),
                        container.devices().stream().filter(taken::add).toList()));
                cpus = cpus.union(container.cpus());
            }
        }
        return new PodAllocation(pod.namespace(), pod.name(), all, pod.cpus(), pod.memory(), pod.reported());
    }

    /** As the kubelet reports them: a device once for each of its NUMA nodes. */
    private static ReportedEntries reported(List<ContainerAllocation> containers) {
        List<Long> cpus = new ArrayList<>();
        List<Entry> devices = new ArrayList<>();
        List<Entry> memory = new ArrayList<>();
        for (ContainerAllocation container : containers) {
            container.cpus().ids().forEach(cpu -> cpus.add((long) cpu));
            for (DeviceAllocation device : container.devices()) {
                device.numaNodes().forEach(node -> devices.add(new Entry(device.resource(), 1, List.of((long) node))));
            }
            container
                    .memory()
                    .forEach(block -> memory.add(new Entry(
                            block.type(),
                            block.sizeBytes(),
                            block.numaNodes().stream().map(Integer::longValue).toList())));
        }
        return new ReportedEntries(cpus, devices, memory);
    }

    /** What the bridge has written when it bound the pod. */
    void bound(String name, String text) {
        predicted.put(name, text);
    }

    void removed(String name) {
        predicted.remove(name);
        specs.remove(name);
        listed.remove(name);
        held.remove(name);
    }

    Map<String, JsonNode> specs() {
        return specs;
    }

    /** Node, NodeResourceTopology and Pods as one List. */
    String objects(boolean foreign) {
        Observation seen = Observation.of(
                new NodeProbe.Reading(kubelet.machine().topology(), List.of()),
                new KubeletAnswer(
                        Optional.of(allocatable()),
                        new PodResourcesSnapshot(List.copyOf(listed.values())),
                        new PodResourcesSnapshot(List.copyOf(held.values())),
                        stateFiles ? Optional.of(stateCpus()) : Optional.empty(),
                        Exclusions.NONE),
                earlier,
                foreign);
        Map<String, Placement> now = new TreeMap<>();
        Map<String, PodRecords> records = new TreeMap<>();
        for (int i = 0; i < seen.annotated().size(); i++) {
            PodAllocation pod = seen.pods().get(i);
            now.put(pod.key(), seen.placements().get(i));
            records.put(
                    pod.name(),
                    foreign
                            ? PodRecords.observed(seen.annotated().get(i))
                            : PodRecords.of(seen.annotated().get(i), pod));
        }
        earlier = now;
        ObjectNode list = JSON.createObjectNode().put("kind", "List");
        ArrayNode items = list.putArray("items");
        items.add(node());
        items.add(topology(seen, foreign));
        int age = 0;
        for (JsonNode spec : specs.values()) {
            String name = RecordedJson.text(spec, "name");
            JsonNode pod = pod(spec, Optional.of(records.get(name)), age++);
            Optional.ofNullable(predicted.get(name))
                    .ifPresent(text ->
                            ((ObjectNode) pod.at("/metadata/annotations")).put(Annotations.PLACEMENT_PREDICTED, text));
            items.add(pod);
        }
        return list.toString();
    }

    private AllocatableResources allocatable() {
        CpuSet cpus = kubelet.cpus()
                .map(allocator -> allocator.topology().all().minus(allocator.reserved()))
                .orElse(CpuSet.EMPTY);
        List<MemoryBlock> memory = new ArrayList<>();
        kubelet.memory().ifPresent(allocator -> allocator.empty().nodes().forEach((id, node) -> add(memory, id, node)));
        List<DeviceAllocation> devices = new ArrayList<>();
        kubelet.machine()
                .devices()
                .forEach((resource, list) -> list.stream()
                        .filter(Device::healthy)
                        .forEach(device -> devices.add(new DeviceAllocation(
                                resource,
                                device.id(),
                                device.numaNodes().ids().boxed().toList()))));
        return new AllocatableResources(cpus, memory, devices);
    }

    private static void add(List<MemoryBlock> memory, int id, NumaMemory node) {
        node.allocatable().forEach((type, bytes) -> {
            if (bytes > 0) {
                memory.add(new MemoryBlock(type, bytes, List.of(id)));
            }
        });
    }

    private JsonNode node() {
        ObjectNode node = object("Node", "n");
        ObjectNode status = node.putObject("status");
        status.putObject("nodeInfo")
                .put("kubeletVersion", "v" + kubelet.rules().config().version() + ".0");
        ObjectNode capacity = status.putObject("capacity");
        ObjectNode allocatable = status.putObject("allocatable");
        kubelet.machine().devices().forEach((resource, list) -> {
            capacity.put(resource, Integer.toString(list.size()));
            allocatable.put(
                    resource,
                    Long.toString(list.stream().filter(Device::healthy).count()));
        });
        return node;
    }

    private JsonNode topology(Observation seen, boolean foreign) {
        var config = kubelet.rules().config();
        KubeletSettings settings = new KubeletSettings(
                Optional.of(config.topologyManager().policy()),
                Optional.of(config.topologyManager().scope()),
                config.topologyManager().options(),
                Optional.of(config.cpuManager().policy()),
                config.cpuManager().options(),
                Optional.of(config.memoryManager().policy()),
                config.featureGates());
        try {
            TopologyProfile profile = ProfileName.NUMALEDGER.profile(false).orElseThrow();
            JsonNode ours = JSON.readTree(
                    NodeTopologyJson.write(seen.topology("n", Optional.empty(), settings, profile, List.of())));
            return foreign ? ForeignTopology.of((ObjectNode) ours) : ours;
        } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
            throw new IllegalStateException("the agent wrote no JSON", e);
        }
    }

    /** A pod of the record as an object; without records it is a manifest. */
    static JsonNode pod(JsonNode spec, Optional<PodRecords> records, int age) {
        ObjectNode pod = object("Pod", RecordedJson.text(spec, "name"));
        ObjectNode body = pod.putObject("spec");
        ObjectNode status = pod.putObject("status");
        status.put("qosClass", RecordedJson.text(spec, "qosClass"));
        if (spec.hasNonNull("resources")) {
            resources(body, spec.get("resources"), spec.get("resources"));
        }
        for (String field : List.of("initContainers", "containers")) {
            ArrayNode containers = body.putArray(field);
            RecordedJson.list(spec, field).forEach(each -> {
                ObjectNode container = containers.addObject().put("name", RecordedJson.text(each, "name"));
                if (each.hasNonNull("restartPolicy")) {
                    container.put("restartPolicy", each.get("restartPolicy").asText());
                }
                JsonNode requests = each.path("resources");
                resources(container, requests, each.hasNonNull("limits") ? each.get("limits") : requests);
            });
        }
        records.ifPresent(known -> {
            body.put("nodeName", "n");
            status.put("phase", "Running");
            status.put("startTime", "2026-01-01T00:%02d:%02dZ".formatted(age / 60, age % 60));
            ObjectNode annotations = ((ObjectNode) pod.get("metadata")).putObject("annotations");
            known.observed().ifPresent(text -> annotations.put(Annotations.OBSERVED, text));
            known.placement().ifPresent(text -> annotations.put(Annotations.PLACEMENT, text));
        });
        return pod;
    }

    private static void resources(ObjectNode container, JsonNode requests, JsonNode limits) {
        ObjectNode resources = container.putObject("resources");
        resources.set("requests", requests);
        resources.set("limits", limits);
    }

    private static ObjectNode object(String kind, String name) {
        ObjectNode object = JSON.createObjectNode().put("kind", kind);
        object.putObject("metadata").put("name", name).put("namespace", "default");
        return object;
    }
}
