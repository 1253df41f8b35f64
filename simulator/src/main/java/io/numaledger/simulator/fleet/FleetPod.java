package io.numaledger.simulator.fleet;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.numaledger.annotation.PodRecords;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * One pod of the fleet.
 *
 * @param records the annotations that its node's agent wrote
 * @param created when it was created, and started by its kubelet
 */
public record FleetPod(String name, String node, PodRequest request, Optional<PodRecords> records, Instant created) {

    static final String GPU = "nvidia.com/gpu";
    static final String NIC = "example.com/nic";

    private static final long MIB = 1L << 20;
    private static final Instant BEFORE = Instant.parse("2026-01-01T00:00:00Z");
    private static final String ENVIRONMENT = environment();

    /** A pod that was there before the measurement. */
    public FleetPod(String name, String node, PodRequest request, Optional<PodRecords> records) {
        this(name, node, request, records, BEFORE);
    }

    /** Small and Guaranteed, sometimes with a GPU or a NIC. The random memory gives each node a different state. */
    public static PodRequest request(String name, Random random) {
        Map<String, RequestedAmount> amounts = new TreeMap<>();
        amounts.put("cpu", RequestedAmount.of(1 + random.nextInt(4)));
        amounts.put("memory", RequestedAmount.of((512 + random.nextInt(8000)) * MIB));
        if (random.nextInt(5) == 0) {
            amounts.put(GPU, RequestedAmount.of(1));
        }
        if (random.nextInt(6) == 0) {
            amounts.put(NIC, RequestedAmount.of(1));
        }
        return PodRequest.of(name, ContainerRequest.app("main", amounts));
    }

    /** Guaranteed, with a random amount of memory that one zone of any node has. */
    public static PodRequest request(int cpus, int gpus, int nics, Random random) {
        Map<String, RequestedAmount> amounts = new TreeMap<>(Map.of(
                "cpu", RequestedAmount.of(cpus),
                "memory", RequestedAmount.of((512 + random.nextInt(8000)) * MIB)));
        if (gpus > 0) {
            amounts.put(GPU, RequestedAmount.of(gpus));
        }
        if (nics > 0) {
            amounts.put(NIC, RequestedAmount.of(nics));
        }
        return PodRequest.of("load/shape", ContainerRequest.app("main", amounts));
    }

    /** Guaranteed, with more memory than one of eight zones has. */
    public static PodRequest wide(String name) {
        return PodRequest.of(
                name,
                ContainerRequest.app(
                        "main",
                        new TreeMap<>(Map.of(
                                "cpu",
                                RequestedAmount.ofMillis(1500),
                                "memory",
                                RequestedAmount.of(100 * 1024 * MIB)))));
    }

    public static PodRequest burstable(String name) {
        return PodRequest.of(name, ContainerRequest.app("main", new TreeMap<>()));
    }

    /** The JSON of a pod without a node. */
    public String waiting(long version) {
        return waiting(version, "[]");
    }

    /** @param conditions of its status, as JSON */
    public String waiting(long version, String conditions) {
        return json(version, "", "", "\"phase\":\"Pending\",\"conditions\":" + conditions);
    }

    /** The same pod, bound to a node; its agent wrote these records. */
    public FleetPod on(String other, Optional<PodRecords> written) {
        return new FleetPod(name, other, request, written, created);
    }

    /** The JSON of a pod that its kubelet does not know yet. */
    public String bound(long version) {
        return json(version, "", bound(), "\"phase\":\"Pending\"");
    }

    /** The JSON of a pod that its kubelet has refused. */
    public String refused(long version) {
        return json(version, "", bound(), "\"phase\":\"Failed\",\"reason\":\"TopologyAffinityError\"");
    }

    private String bound() {
        return "\"nodeName\":\"%s\",".formatted(node);
    }

    /** The JSON of a running pod, with some fields of a real one that the bridge does not read: about 4 KB. */
    public String running(long version) {
        List<String> annotations = new ArrayList<>();
        records.flatMap(PodRecords::observed)
                .ifPresent(text -> annotations.add(annotation("kai.scheduler/numa-placement-observed", text)));
        records.flatMap(PodRecords::placement)
                .ifPresent(text -> annotations.add(annotation("numaledger.io/placement", text)));
        return json(
                version,
                String.join(",", annotations),
                bound(),
                "\"phase\":\"Running\",\"startTime\":\"2026-01-01T00:00:01Z\",\"conditions\":[%s]"
                        .formatted(CONDITIONS));
    }

    private static String annotation(String key, String text) {
        return "\"%s\":\"%s\""
                .formatted(key, new String(JsonStringEncoder.getInstance().quoteAsString(text)));
    }

    private String json(long version, String annotations, String bound, String status) {
        List<String> amounts = new ArrayList<>();
        request.containers()
                .get(0)
                .resources()
                .limits()
                .forEach((resource, amount) -> amounts.add("\"%s\":\"%s\"".formatted(resource, amount)));
        String resources = "{" + String.join(",", amounts) + "}";
        return """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"%1$s","namespace":"load","uid":"uid-%1$s","resourceVersion":"%9$d",\
                "creationTimestamp":"%10$s","labels":{"app":"load","pod-template-hash":"5d59d67564"},\
                "annotations":{%2$s},"managedFields":[%6$s]},"spec":{%3$s"schedulerName":"default-scheduler","restartPolicy":"Always",\
                "containers":[{"name":"main","image":"registry.example.com/team/app:v1.2.3","env":[%7$s],\
                "resources":{"limits":%4$s,"requests":%4$s}}]},\
                "status":{%5$s,"qosClass":"%8$s"}}""".formatted(
                        name,
                        annotations,
                        bound,
                        resources,
                        status,
                        CONDITIONS,
                        ENVIRONMENT,
                        request.isGuaranteed() ? "Guaranteed" : "BestEffort",
                        version,
                        created);
    }

    private static final String CONDITIONS = conditions();

    private static String conditions() {
        List<String> all = new ArrayList<>();
        for (String type : List.of("PodScheduled", "Initialized", "ContainersReady", "Ready", "PodReadyToStart")) {
            all.add(
                    "{\"type\":\"%s\",\"status\":\"True\",\"lastProbeTime\":null,\"lastTransitionTime\":\"2026-01-01T00:00:02Z\"}"
                            .formatted(type));
        }
        return String.join(",", all);
    }

    private static String environment() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add("{\"name\":\"SETTING_%d\",\"value\":\"value-%d-of-this-workload\"}".formatted(i, i));
        }
        return String.join(",", all);
    }
}
