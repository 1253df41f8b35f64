package io.numaledger.evaluation.snapshot;

import io.numaledger.annotation.AllocationText;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.placement.PodAllocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Snapshots that are derived from the last one are the same as snapshots that are built anew. */
class DerivedSnapshotsTest {

    private static final int EVENTS = 120;
    private static final int MAX_PODS = 10;

    private final NodeSnapshotBuilder builder = new NodeSnapshotBuilder(SnapshotSettings.DEFAULT);
    private final ObservedPods kept = new ObservedPods();
    private final TreeMap<String, PodFacts> pods = new TreeMap<>();
    private final TreeMap<String, PredictedAllocation> reserved = new TreeMap<>();
    private final TreeMap<String, String> limitsOf = new TreeMap<>();
    private final Set<String> setAside = new TreeSet<>();
    private Random random = new Random(0);
    private String policy = "";
    private boolean readsInitContainers;
    /** Three of so many records are faulty; 0: none. */
    private int faults;

    private int names;
    private NodeFacts node;
    private NodeTopology topology;

    /** Two zones with 8 CPUs, 16 GiB, 2 GPUs and 2 NICs for pods each. */
    private ClusterObjects node() {
        String devices = """
                {name: example.com/nic, capacity: "2", allocatable: "2", available: "%1$d"}
                  - {name: nvidia.com/gpu, capacity: "2", allocatable: "2", available: "%1$d"}
                  - {name: memory, capacity: 17Gi, allocatable: 16Gi, available: %2$dGi}""".formatted(random.nextInt(3), random.nextInt(16));
        return ClusterYaml.read(ClusterYaml.node("n", policy)
                .replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static")
                .replace("{name: nvidia.com/gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"}", devices)
                .replace("nvidia.com/gpu: \"2\"", "nvidia.com/gpu: \"4\", example.com/nic: \"4\"")
                .replace("value: 5-8}", "value: 9-16}")
                .replace("value: 0-4}", "value: 0-8}")
                .replace("0:0;1:1;2:2;3:3;4:4", cores(0, 8))
                .replace("5:5;6:6;7:7;8:8", cores(9, 16))
                .replace("0:0-4", "0:0-8")
                .replace("1:5-8", "1:9-16")
                .replace(
                        "capacity: \"5\", allocatable: \"4\", available: \"4\"",
                        "capacity: \"9\", allocatable: \"8\", available: \"3\"")
                .replace(
                        "capacity: \"4\", allocatable: \"4\", available: \"4\"",
                        "capacity: \"8\", allocatable: \"8\", available: \"2\"")
                .replace(
                        "zones:\n",
                        readsInitContainers
                                ? "- {name: initContainerResources, value: published}\nzones:\n"
                                : "- {name: kubelet, value: restarting}\nzones:\n"));
    }

    private static String cores(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(cpu -> cpu + ":" + cpu)
                .collect(Collectors.joining(";"));
    }

    private void publish() {
        ClusterObjects objects = node();
        node = objects.nodes().get("n");
        topology = objects.topologies().get("n");
    }

    private NodeSnapshot build(ObservedPods records, Collection<PodFacts> on) {
        NodeModel model = builder.model(node, Optional.of(topology));
        assertThat(model.kubelet()).as("%s", model.unmodelled()).isPresent();
        return builder.build(node, Optional.of(topology), model, on, reserved, records, setAside, NodeUnknowns.NONE);
    }

    private NodeSnapshot anew() {
        return build(new ObservedPods(), pods.values());
    }

    private <T> Optional<T> any(Collection<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(all).get(random.nextInt(all.size())));
    }

    private String limits() {
        List<String> limits = new ArrayList<>();
        limits.add("cpu: \"%d\"".formatted(1 + random.nextInt(4)));
        limits.add("memory: %dGi".formatted(random.nextInt(12) == 0 ? 20 : 1 + random.nextInt(3)));
        for (String device : List.of("nvidia.com/gpu", "example.com/nic")) {
            if (random.nextInt(3) == 0) {
                limits.add("%s: \"%d\"".formatted(device, 1 + random.nextInt(2)));
            }
        }
        return String.join(", ", limits);
    }

    private String pod(String name, String limits, String annotations, String status) {
        String init = random.nextInt(6) > 0
                ? ""
                : "\n  initContainers:\n  - {name: init, image: x, resources: {limits: {cpu: \"%d\", memory: 1Gi}}}"
                        .formatted(1 + random.nextInt(5));
        return ClusterYaml.pod(
                name,
                limits,
                ", annotations: {%s}".formatted(annotations),
                "  nodeName: n" + init,
                ", phase: %s, startTime: \"2026-01-01T00:00:%02dZ\"".formatted(status, random.nextInt(60)));
    }

    private void put(String yaml) {
        PodFacts pod = ClusterYaml.parsePod(yaml);
        pods.put(pod.key(), pod);
    }

    private Optional<PredictedAllocation> predicted(String name, String limits) {
        return FullModel.evaluate(anew(), ClusterYaml.pending(name, limits)) instanceof Fits fits
                ? fits.placement().map(placement -> placement.allocation())
                : Optional.empty();
    }

    private void bind() {
        String name = "p" + names++;
        String limits = limits();
        predicted(name, limits).ifPresent(allocation -> {
            put(pod(name, limits, "", "Pending"));
            reserved.put("default/" + name, allocation);
            limitsOf.put(name, limits);
        });
    }

    private void observeAnother() {
        String name = "p" + names++;
        String limits = limits();
        predicted(name, limits).ifPresent(allocation -> observe(name, limits, allocation.running()));
    }

    /** Some agents have seen only one zone, and some pods' owners write what others hold. */
    private void observe(String name, String limits, PodAllocation allocation) {
        String text = AllocationText.write(allocation);
        String written = switch (faults == 0 ? faults - 1 : random.nextInt(faults)) {
            case 0 -> text.replaceAll("\"cpus\":\"[^\"]*\"", "\"cpus\":\"1\"");
            case 1 -> text.replaceAll("\"numaNodes\":\"[^\"]*\"}\\]", "\"numaNodes\":\"0-1\"}]");
            case 2 -> text.replaceAll(",\"devices\":\\[.*\\}\\]\\}\\]", "}]");
            default -> text;
        };
        String yaml = pod(name, limits, "numaledger.io/placement: '%s'".formatted(written), "Running");
        put(random.nextInt(10) == 0 ? ClusterYaml.terminating(yaml) : yaml);
    }

    private void observeReserved() {
        any(reserved.keySet()).ifPresent(key -> {
            PodAllocation allocation = reserved.remove(key).running();
            pods.remove(key);
            observe(allocation.name(), limitsOf.remove(allocation.name()), allocation);
        });
    }

    private void remove(String key) {
        pods.remove(key);
        reserved.remove(key);
        setAside.remove(key);
    }

    private void event() {
        switch (random.nextInt(pods.size() > MAX_PODS ? 6 : 14)) {
            case 0, 1 -> any(pods.keySet()).ifPresent(this::remove);
            case 2 ->
                any(pods.values())
                        .filter(pod -> pod.records().placement().isPresent() && !pod.isDeleted())
                        .ifPresent(pod -> {
                            remove(pod.key());
                            pods.put(pod.deleted().key(), pod.deleted());
                        });
            case 3 -> any(pods.values()).ifPresent(pod -> pods.put(pod.key(), pod.withAnnotations(pod.annotations())));
            case 4 -> {
                readsInitContainers ^= faults > 0 && random.nextInt(4) == 0;
                publish();
            }
            case 5 ->
                any(pods.keySet())
                        .filter(key -> !setAside.remove(key) && random.nextInt(3) == 0)
                        .ifPresent(setAside::add);
            case 6 ->
                put(pod("p" + names++, "cpu: 100m", "", "Running")
                        .replace("limits:", "requests:")
                        .replace("Guaranteed", "Burstable"));
            case 7 -> put(pod("p" + names++, limits(), "", random.nextBoolean() ? "Running" : "Pending"));
            case 8, 9 -> bind();
            case 10 -> observeReserved();
            default -> observeAnother();
        }
    }

    @ParameterizedTest(name = "{0}, faults {1}, seed {2}")
    @CsvSource({
        "single-numa-node, 0, 1",
        "single-numa-node, 0, 2",
        "restricted, 0, 3",
        "best-effort, 0, 4",
        "single-numa-node, 40, 5",
        "restricted, 40, 6",
        "none, 12, 7"
    })
    void areThoseOfANewBuild(String policyName, int oneOf, int seed) {
        random = new Random(seed);
        policy = policyName;
        faults = oneOf;
        readsInitContainers = true;
        publish();
        for (int number = 0; number < EVENTS; number++) {
            event();
            assertThat(build(kept, pods.values()))
                    .as("event %d: %s", number, pods.keySet())
                    .isEqualTo(anew());
            if (random.nextInt(4) == 0) {
                List<PodFacts> staying =
                        pods.values().stream().filter(pod -> !pod.terminating()).toList();
                assertThat(build(kept, staying))
                        .as("event %d, released", number)
                        .isEqualTo(build(new ObservedPods(), staying));
            }
        }
    }
}
