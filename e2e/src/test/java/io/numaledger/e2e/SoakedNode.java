package io.numaledger.e2e;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.annotation.Annotations;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.cri.ContainerKey;
import io.numaledger.simulator.hardware.DevicePluginSpec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** One node of a soak: what happens to it, step by step, is the same for the same seed. */
final class SoakedNode implements AutoCloseable {

    private static final String KUBELET = "kubelet";
    private static final String CONNECTION = "connection";

    static final String HEAD =
            "node steps  RSS MiB  live KiB threads files  CPU ms | recorded, repaired pods and NRTs | unanswered: kubelet, API";
    private static final String LINE = "%-4s %5d  %7.1f  %8s %7d %5d  %6d | %8d, %8d %13d | %19d, %3d";

    /** Of pods that are sent without asking whether there is room. */
    private static final int BLINDLY_PERCENT = 10;

    private static final SortedMap<String, Long> NOTHING = Collections.emptySortedMap();

    private final SimNode node;
    private final KubernetesClient client;
    private final FaultyProxy proxy;
    private final SoakedAgent agent;
    private final SeededPods random;
    private final SoakReport report;
    private final NodeRoom room;
    private final List<Live> pods = new ArrayList<>();
    private final SortedSet<String> unhealthy = new TreeSet<>();
    private final Map<String, Lasting> broken = new TreeMap<>();
    private final EnumMap<SoakHappening, Integer> counts = new EnumMap<>(SoakHappening.class);
    private int created;
    private int steps;
    private int revivals;
    private boolean topologyEdited;

    /** @param total what it takes of the node's sums */
    private record Live(String name, SortedMap<String, Long> total) {}

    /** What stays broken until a step. */
    private record Lasting(int until, Runnable mend) {}

    private SoakedNode(SimNode node, KubernetesClient client, FaultyProxy proxy, SoakedAgent agent, long seed) {
        this.node = node;
        this.client = client;
        this.room = NodeRoom.read(client, node.name());
        this.proxy = proxy;
        this.agent = agent;
        this.random = new SeededPods(
                node.name(),
                seed,
                1,
                node.spec().devices().stream()
                        .map(DevicePluginSpec::resource)
                        .distinct()
                        .toList());
        this.report = new SoakReport(node.name());
    }

    static SoakedNode start(SimCluster cluster, SimNode node, Optional<Path> root, long seed) throws IOException {
        URI api = cluster.apiServer().url();
        FaultyProxy proxy = new FaultyProxy(new InetSocketAddress(api.getHost(), api.getPort()));
        SoakedAgent agent = SoakedAgent.start(cluster, node, proxy, root);
        return new SoakedNode(node, cluster.client(), proxy, agent, seed);
    }

    SoakedAgent agent() {
        return agent;
    }

    SoakReport report() {
        return report;
    }

    /** Each as {@code node/id}. */
    SortedSet<String> unhealthy() {
        return unhealthy;
    }

    void requireAlive() {
        reviveKubelet();
        if (!agent.isAlive()) {
            throw new IllegalStateException(
                    "the agent of %s has ended; the end of its log:%n%s".formatted(node.name(), agent.lastLines()));
        }
    }

    /**
     * Does what its log asks for where a kubelet does not start: after init containers whose memory was reused, kubelet 1.36.3 takes its
     * own memory_manager_state for that of another machine ("the expected machine state is different from the real one").
     */
    private void reviveKubelet() {
        if (broken.containsKey(KUBELET) || node.kubeletPid().isPresent()) {
            return;
        }
        Path state = node.kubeletRoot().resolve("memory_manager_state");
        if (!Files.exists(state)) {
            node.requireKubelet();
        }
        revivals++;
        node.stopKubelet();
        try {
            Files.deleteIfExists(state);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete a kubelet's memory state: file=%s".formatted(state), e);
        }
        node.startKubelet();
    }

    /** What its agent costs, and what it has met, up to now. */
    String lineOfThisMinute() throws IOException {
        SoakReport.Sample sample = agent.sample();
        report.add(sample);
        return LINE.formatted(
                node.name(),
                steps,
                sample.residentKiB() / 1024.0,
                sample.liveHeapKiB().stream().mapToObj(Long::toString).findAny().orElse("-"),
                sample.threads(),
                sample.files(),
                sample.cpuMillis(),
                agent.sum("numaledger_agent_pods_annotated"),
                agent.sum("numaledger_agent_drift_repaired_total", "kind=\"pod\""),
                agent.sum("numaledger_agent_drift_repaired_total", "kind=\"nrt\""),
                agent.sum("numaledger_agent_kubelet_call_failures_total"),
                agent.sum("numaledger_agent_api_requests_total", "result=\"unreachable\""));
    }

    /** What happened, and how often. */
    String happened() {
        return "%s: %s, kubelet did not start over its own memory state: %d".formatted(node.name(), counts, revivals);
    }

    void mend() {
        broken.values().forEach(lasting -> lasting.mend().run());
        broken.clear();
    }

    void step() {
        steps++;
        broken.values().removeIf(lasting -> {
            boolean over = lasting.until() <= steps;
            if (over) {
                lasting.mend().run();
            }
            return over;
        });
        reviveKubelet();
        SoakHappening what = SoakHappening.draw(random);
        counts.merge(what, 1, Integer::sum);
        try {
            happen(what);
        } catch (KubernetesClientException e) {
            // What it was about can be gone: pods end by themselves, too.
            if (e.getCode() != 404 && e.getCode() != 409) {
                throw e;
            }
        }
    }

    private void happen(SoakHappening what) {
        switch (what) {
            case POD_CREATED -> create("%s-%d".formatted(node.name(), created++));
            case POD_DELETED -> anyPod().ifPresent(name -> delete(name, 1));
            case POD_FORCED_AWAY -> anyPod().ifPresent(name -> delete(name, 0));
            case POD_REPLACED ->
                anyPod().ifPresent(name -> {
                    delete(name, 0);
                    create(name);
                });
            case CONTAINER_ENDED -> endAContainer();
            case RECORD_FORGED -> anyPod().ifPresent(this::forge);
            case RECORD_REMOVED -> anyPod().ifPresent(name -> annotate(name, Annotations.OBSERVED, Optional.empty()));
            case TOPOLOGY_SPOILT -> spoilTopology();
            case DEVICE_HEALTH -> changeHealth();
            case KUBELET_STOPPED -> breakFor(KUBELET, 10, node::stopKubelet, node::startKubelet);
            case KUBELET_FROZEN -> breakFor(KUBELET, 25, () -> signal("STOP"), () -> signal("CONT"));
            case AGENT_CUT_OFF -> breakFor(CONNECTION, 15, proxy::cut, proxy::restore);
            case AGENT_STALLED -> {
                FaultyProxy.Gate gate = random.percent(50) ? proxy.requests() : proxy.answers();
                breakFor(CONNECTION, 20, gate::close, gate::open);
            }
        }
    }

    private void breakFor(String part, int most, Runnable breakIt, Runnable mend) {
        int until = steps + 1 + random.below(most);
        if (!broken.containsKey(part)) {
            breakIt.run();
            broken.put(part, new Lasting(until, mend));
        }
    }

    private void signal(String name) {
        node.kubeletPid().ifPresent(pid -> {
            try {
                new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot signal a kubelet: pid=%d".formatted(pid), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private Optional<String> anyPod() {
        return pods.isEmpty()
                ? Optional.empty()
                : Optional.of(pods.get(random.below(pods.size())).name());
    }

    private void create(String name) {
        SeededPods.Drawn drawn = random.next(name);
        while (!room.holds(drawn.total(), List.of())) {
            drawn = random.next(name);
        }
        boolean blindly = random.percent(BLINDLY_PERCENT);
        while (!blindly
                && !room.holds(drawn.total(), pods.stream().map(Live::total).toList())) {
            delete(anyPod().orElseThrow(), 1);
        }
        pods.add(new Live(name, blindly ? NOTHING : drawn.total()));
        client.resource(drawn.pod().build()).create();
    }

    private void delete(String name, long graceSeconds) {
        pods.removeIf(pod -> pod.name().equals(name));
        client.pods()
                .inNamespace("default")
                .withName(name)
                .withGracePeriod(graceSeconds)
                .delete();
    }

    private void endAContainer() {
        List<ContainerKey> running = node.runtime().running();
        if (!running.isEmpty()) {
            ContainerKey key = running.get(random.below(running.size()));
            node.runtime().exit(key.namespace(), key.pod(), key.container(), 1);
        }
    }

    private void forge(String pod) {
        boolean ours = random.percent(50);
        annotate(
                pod,
                ours ? Annotations.PLACEMENT : Annotations.OBSERVED,
                Optional.of(
                        ours
                                ? "{\"version\":1,\"containers\":[]}"
                                : "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"%d\"}}]"
                                        .formatted(1 + random.below(9))));
    }

    private void annotate(String pod, String key, Optional<String> value) {
        String text = value.map(written -> "\"" + written.replace("\"", "\\\"") + "\"")
                .orElse("null");
        client.pods()
                .inNamespace("default")
                .withName(pod)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"%s\":%s}}}".formatted(key, text));
    }

    /** Edited and deleted by turns: one who edits it three times in ten minutes is another publisher. */
    private void spoilTopology() {
        topologyEdited = !topologyEdited;
        var topology = client.genericKubernetesResources(NodeTopology.API_VERSION, NodeTopology.KIND)
                .withName(node.name());
        if (topologyEdited) {
            topology.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"zones\":[]}");
        } else {
            topology.delete();
        }
    }

    private void changeHealth() {
        List<DevicePluginSpec> plugins = node.spec().devices();
        DevicePluginSpec plugin = plugins.get(random.below(plugins.size()));
        String id = plugin.devices().get(random.below(plugin.devices().size())).deviceId();
        String device = node.name() + "/" + id;
        boolean healthy = !unhealthy.remove(device);
        if (healthy) {
            unhealthy.add(device);
        }
        node.plugin(plugin.resource()).setHealthy(id, !healthy);
    }

    @Override
    public void close() {
        mend();
        agent.close();
        try {
            proxy.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close a proxy: node=%s".formatted(node.name()), e);
        }
    }
}
