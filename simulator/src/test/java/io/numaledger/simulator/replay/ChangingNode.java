package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.KubeletRestart;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.StartupRefusedException;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Draws scenarios of nodes that change under their pods. Nothing is recorded of them: what the kubelet would do, the model says, which
 * knows everything.
 */
final class ChangingNode {

    /** What changes while pods run. */
    enum Change {
        /** Devices fail, recover, vanish and are added. */
        HEALTH(0),
        /** The kubelet is started again, mostly with other options, and admits its pods again. */
        RESTART(1),
        /** A plugin registers after the first pods, and is replaced. */
        LATE_PLUGIN(2);

        /** So that the kinds of changes draw different nodes. */
        private final int salt;

        Change(int salt) {
            this.salt = salt;
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RESOURCE = "example.com/gpu";
    private static final int STEPS = 16;

    private final Change change;
    private final Random random;
    private final int zones;
    private final Scenario scenario;
    private final ReplayedNode node;
    private final List<JsonNode> steps = new ArrayList<>();
    private final Map<String, JsonNode> running = new LinkedHashMap<>();
    private final List<ObjectNode> devices = new ArrayList<>();
    private ObjectNode config;
    private int pods;
    private int ids;

    private ChangingNode(Change change, long seed) {
        this.change = change;
        this.random = new Random(seed * 31 + change.salt);
        this.zones = random.nextInt(4) == 0 ? 4 : 2;
        if (change != Change.LATE_PLUGIN) {
            for (int zone = 0; zone < zones; zone++) {
                add(zone);
                add(zone);
            }
        }
        this.config = config();
        ObjectNode json = JSON.createObjectNode().put("id", change + "-" + seed);
        json.put("kubelet", random.nextBoolean() ? "1.36" : "1.37");
        json.set("machine", machine());
        json.set("config", config);
        this.scenario = ScenarioReader.read(json);
        this.node = new ReplayedNode(scenario, KubeletModel.start(scenario.machine(), scenario.config()));
    }

    static Scenario draw(Change change, long seed) {
        ChangingNode drawn = new ChangingNode(change, seed);
        for (int i = 0; i < STEPS; i++) {
            drawn.step(i);
        }
        Scenario base = drawn.scenario;
        return new Scenario(
                base.id(), base.machine(), base.config(), Optional.empty(), base.initialState(), drawn.steps, false);
    }

    private boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    private ObjectNode machine() {
        int threads = 1 + random.nextInt(2);
        ObjectNode machine = JSON.createObjectNode();
        ArrayNode nodes = machine.putArray("numaNodes");
        ArrayNode distances = machine.putArray("distances");
        ArrayNode caches = machine.putArray("l3Caches");
        int cpu = 0;
        for (int zone = 0; zone < zones; zone++) {
            ObjectNode numaNode =
                    nodes.addObject().put("id", zone).put("socket", zone).put("memoryBytes", 8L << 30);
            numaNode.putObject("hugepages");
            ArrayNode cores = numaNode.putArray("cores");
            ArrayNode distance = distances.addArray();
            for (int other = 0; other < zones; other++) {
                distance.add(other == zone ? 10 : 21);
            }
            for (int core = 0; core < 4; core++) {
                if (core % 2 == 0) {
                    caches.addObject().put("id", zone * 2 + core / 2).putArray("cpus");
                }
                ArrayNode own = cores.addArray();
                for (int thread = 0; thread < threads; thread++, cpu++) {
                    own.add(cpu);
                    ((ArrayNode) caches.get(caches.size() - 1).get("cpus")).add(cpu);
                }
            }
        }
        machine.set("devices", listed());
        return machine;
    }

    private ObjectNode listed() {
        ObjectNode resources = JSON.createObjectNode();
        if (!devices.isEmpty() || change != Change.LATE_PLUGIN || ids > 0) {
            ArrayNode list = resources.putArray(RESOURCE);
            devices.forEach(device -> list.add(device.deepCopy()));
        }
        return resources;
    }

    private void add(int zone) {
        ObjectNode device = JSON.createObjectNode().put("id", "gpu-" + ids++).put("healthy", true);
        device.putArray("numaNodes").add(zone);
        devices.add(device);
    }

    private ObjectNode config() {
        ObjectNode drawn = JSON.createObjectNode();
        drawn.put("topologyManagerPolicy", pick("restricted", "single-numa-node", "best-effort"));
        drawn.put("topologyManagerScope", pick("pod", "container"));
        drawn.put("cpuManagerPolicy", "static");
        drawn.put("reservedCpus", percent(10) ? "0-1" : "0");
        ObjectNode options = drawn.putObject("cpuManagerPolicyOptions");
        if (change == Change.RESTART) {
            Optional.of(pick("", "full-pcpus-only", "prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"))
                    .filter(option -> !option.isEmpty())
                    .ifPresent(option -> options.put(option, "true"));
        }
        drawn.put("memoryManagerPolicy", change == Change.RESTART && percent(40) ? "Static" : "None");
        drawn.putArray("reservedMemory")
                .addObject()
                .put("numaNode", 0)
                .putObject("limits")
                .put("memory", Long.toString((percent(10) ? 2L : 1L) << 30));
        return drawn;
    }

    private String pick(String... texts) {
        return texts[random.nextInt(texts.length)];
    }

    private void step(int index) {
        boolean changes = index > 1 && percent(30);
        if (changes && change == Change.RESTART) {
            restart();
        } else if (changes) {
            take(changedDevices());
        } else if (!running.isEmpty() && percent(25)) {
            String name = List.copyOf(running.keySet()).get(random.nextInt(running.size()));
            running.remove(name);
            take(operation("remove").put("pod", name));
        } else {
            admit();
        }
    }

    private static ObjectNode operation(String name) {
        return JSON.createObjectNode().put("op", name);
    }

    private void take(JsonNode step) {
        steps.add(step);
        List<String> differences = node.take(step);
        if (!differences.isEmpty()) {
            throw new IllegalStateException("a drawn step differs: " + step + " " + differences);
        }
    }

    private void admit() {
        ObjectNode pod = pod("p" + pods++);
        take(operation("admit").set("pod", pod));
        if (node.answer().orElseThrow().isAdmitted()) {
            running.put(pod.get("name").asText(), pod);
        }
    }

    private ObjectNode pod(String name) {
        ObjectNode pod = JSON.createObjectNode().put("name", name).put("qosClass", "Guaranteed");
        if (percent(change == Change.RESTART ? 50 : 20)) {
            pod.putArray("initContainers").add(container("i", 4, 3));
        }
        ArrayNode containers = pod.putArray("containers");
        containers.add(container("c0", 3, 2));
        if (percent(20)) {
            containers.add(container("c1", 2, 1));
        }
        return pod;
    }

    private ObjectNode container(String name, int maxCpus, int maxGib) {
        ObjectNode container = JSON.createObjectNode().put("name", name);
        ObjectNode resources = container.putObject("resources");
        resources.put("cpu", Integer.toString(1 + random.nextInt(maxCpus)));
        resources.put("memory", (1 + random.nextInt(maxGib)) + "Gi");
        if (!devices.isEmpty() && percent(change == Change.RESTART ? 30 : 70)) {
            resources.put(RESOURCE, Integer.toString(1 + random.nextInt(2)));
        }
        return container;
    }

    private ObjectNode changedDevices() {
        if (change == Change.LATE_PLUGIN) {
            devices.clear();
            int count = 1 + random.nextInt(2 * zones);
            for (int i = 0; i < count; i++) {
                add(random.nextInt(zones));
            }
        } else if (devices.isEmpty() || percent(15)) {
            add(random.nextInt(zones));
        } else {
            int at = random.nextInt(devices.size());
            if (percent(25)) {
                devices.remove(at);
            } else {
                ObjectNode device = devices.get(at);
                device.put("healthy", !device.get("healthy").asBoolean());
            }
        }
        return operation("devices").set("devices", listed());
    }

    /** A kubelet that does not start again is started with its old configuration. Then it admits the pods again that run. */
    private void restart() {
        ObjectNode next = percent(20) ? config : config();
        ObjectNode step = operation("restart");
        step.set("config", next);
        Optional<String> error = objection(next);
        error.ifPresent(text -> step.put("error", text));
        take(step);
        if (error.isPresent()) {
            take(operation("restart").set("config", config));
        } else {
            config = next;
        }
        for (String name : List.copyOf(running.keySet())) {
            take(operation("readmit").set("pod", running.get(name)));
            if (!node.answer().orElseThrow().isAdmitted()) {
                running.remove(name);
            }
        }
    }

    private Optional<String> objection(ObjectNode next) {
        KubeletVersion version = node.kubelet().rules().version();
        try {
            KubeletModel now = KubeletModel.start(node.kubelet().machine(), ScenarioReader.config(version, next));
            return KubeletRestart.objection(now, node.state());
        } catch (StartupRefusedException refusal) {
            return Optional.of(String.valueOf(refusal.getMessage()));
        }
    }
}
