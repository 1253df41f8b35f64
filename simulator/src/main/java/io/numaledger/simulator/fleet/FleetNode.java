package io.numaledger.simulator.fleet;

import io.numaledger.annotation.PodRecords;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.pod.PodRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One node of the fleet and its pods, as its agent publishes them. */
public final class FleetNode {

    /** As many as kubelets report at most. */
    private static final String IMAGES = images();

    private final String name;
    private final KubeletModel kubelet;
    private final ModelAgent agent;
    private final Random random;
    private final List<FleetPod> pods = new ArrayList<>();
    private NodeState state;
    private int created;

    public FleetNode(String name, KubeletModel kubelet, long seed) {
        this.name = name;
        this.kubelet = kubelet;
        this.agent = new ModelAgent(name, kubelet);
        this.random = new Random(seed);
        this.state = kubelet.empty();
    }

    public String name() {
        return name;
    }

    public List<FleetPod> pods() {
        return pods;
    }

    /** Adds pods up to this number. Most hold resources; those that the kubelet would refuse hold nothing. */
    public void fill(int count) {
        while (pods.size() < count) {
            add();
        }
    }

    /** Adds a pod. If the kubelet would refuse it, the pod requests nothing instead. */
    public synchronized FleetPod add() {
        String pod = "%s-p%d".formatted(name, created++);
        PodRequest request = hasMemoryGroups() && random.nextInt(10) == 0
                ? FleetPod.wide("load/" + pod)
                : FleetPod.request("load/" + pod, random);
        Decision decision = kubelet.admit(state, request);
        FleetPod added;
        if (decision.admission() instanceof Admitted admitted) {
            state = kubelet.started(decision.state(), request);
            added = new FleetPod(pod, name, request, Optional.of(records(pod, admitted)));
        } else {
            added = new FleetPod(pod, name, FleetPod.burstable("load/" + pod), Optional.empty());
        }
        pods.add(added);
        return added;
    }

    /** A pod that a scheduler has bound to the node, as the node's kubelet and agent answer it; absent: the kubelet refuses it. */
    public synchronized Optional<FleetPod> bind(FleetPod pod) {
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission() instanceof Admitted admitted) {
            state = kubelet.started(decision.state(), pod.request());
            FleetPod bound = pod.on(name, Optional.of(records(pod.name(), admitted)));
            pods.add(bound);
            return Optional.of(bound);
        }
        return Optional.empty();
    }

    private boolean hasMemoryGroups() {
        return kubelet.machine().topology().numaNodes().size() == FleetMix.ZONES_WITH_MEMORY_GROUPS
                && !kubelet.rules().config().cpuManager().options().isEmpty();
    }

    /** Removes a random pod. */
    public synchronized FleetPod remove() {
        FleetPod gone = pods.remove(random.nextInt(pods.size()));
        state = kubelet.removeStaleState(kubelet.ended(state, "load/" + gone.name()));
        return gone;
    }

    private PodRecords records(String pod, Admitted admitted) {
        return agent.records(ModelAgent.held("load", pod, admitted));
    }

    /** The NodeResourceTopology. {@code available} is that of the empty node, because the bridge knows the pods. */
    public String topology() {
        return agent.topology(List.of());
    }

    /** The Node object, with some fields of a real one that the bridge does not read. */
    public String node() {
        StringBuilder devices = new StringBuilder();
        kubelet.machine()
                .devices()
                .forEach((resource, list) -> devices.append(",\"%s\":\"%d\"".formatted(resource, list.size())));
        String amounts = "{\"cpu\":\"%d\",\"memory\":\"528000000Ki\",\"pods\":\"250\"%s}"
                .formatted(kubelet.machine().topology().onlineCpus().size(), devices);
        return """
                {"apiVersion":"v1","kind":"Node","metadata":{"name":"%1$s","uid":"uid-%1$s","resourceVersion":"1",\
                "labels":{"kubernetes.io/hostname":"%1$s","kubernetes.io/os":"linux"}},"status":{"capacity":%2$s,"allocatable":%2$s,\
                "nodeInfo":{"kubeletVersion":"v1.%3$d.1","osImage":"linux","architecture":"amd64"},"images":[%4$s]}}""".formatted(name, amounts, kubelet.rules().version().minor(), IMAGES);
    }

    private static String images() {
        return IntStream.rangeClosed(1, 50)
                .mapToObj(image -> """
                        {"names":["registry.example.com/team/app-%1$d@sha256:%1$064d","registry.example.com/team/app-%1$d:v1.2.3"],\
                        "sizeBytes":%1$d000000}""".formatted(image))
                .collect(Collectors.joining(","));
    }
}
