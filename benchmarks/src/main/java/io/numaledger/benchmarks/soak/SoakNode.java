package io.numaledger.benchmarks.soak;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.annotation.Annotations;
import io.numaledger.benchmarks.process.MeasuredAgent;
import io.numaledger.benchmarks.process.MeasuredProcess;
import io.numaledger.benchmarks.process.ProcessFigures;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.cri.ContainerKey;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.proxy.FaultyProxy;
import io.numaledger.simulator.workload.NodeAllocatable;
import io.numaledger.simulator.workload.SeededPods;

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
import java.util.stream.Stream;

/** One node of a soak. The sequence of events is the same for the same seed. */
final class SoakNode implements AutoCloseable {

    private static final String KUBELET = "kubelet";
    private static final String CONNECTION = "connection";

    private static final Counter PODS_REPAIRED = new Counter("numaledger_agent_drift_repaired_total", "kind=\"pod\"");
    private static final Counter TOPOLOGIES_REPAIRED =
            new Counter("numaledger_agent_drift_repaired_total", "kind=\"nrt\"");
    private static final Counter KUBELET_FAILURES = new Counter("numaledger_agent_kubelet_call_failures_total", "");
    private static final Counter API_FAILURES =
            new Counter("numaledger_agent_api_requests_total", "result=\"unreachable\"");

    /** The percentage of pods that are created whether or not the node has room. */
    private static final int OVERCOMMITTED_PERCENT = 10;

    private static final SortedMap<String, Long> NOTHING = Collections.emptySortedMap();

    private final SimNode node;
    private final KubernetesClient client;
    private final FaultyProxy proxy;
    private final MeasuredProcess agent;
    private final SeededPods random;
    private final SoakReport report;
    private final NodeAllocatable allocatable;
    private final List<LivePod> pods = new ArrayList<>();
    private final SortedSet<String> unhealthy = new TreeSet<>();
    private final Map<String, Fault> faults = new TreeMap<>();
    private final EnumMap<SoakEvent, Integer> counts = new EnumMap<>(SoakEvent.class);
    private int created;
    private int steps;
    private int restartsWithoutMemoryState;
    private boolean topologyEdited;

    /** @param total its total request */
    private record LivePod(String name, SortedMap<String, Long> total) {}

    /** A fault that lasts until a step. */
    private record Fault(int until, Runnable repair) {}

    private SoakNode(SimNode node, KubernetesClient client, FaultyProxy proxy, MeasuredProcess agent, long seed) {
        this.node = node;
        this.client = client;
        this.allocatable = NodeAllocatable.read(client, node.name());
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

    static SoakNode start(SimCluster cluster, SimNode node, Optional<Path> root, long seed) throws IOException {
        URI api = cluster.apiServer().url();
        FaultyProxy proxy = new FaultyProxy(new InetSocketAddress(api.getHost(), api.getPort()));
        MeasuredProcess agent = MeasuredAgent.start(cluster, node, proxy.port(), root, List.of());
        return new SoakNode(node, cluster.client(), proxy, agent, seed);
    }

    /** The faults that had no effect on the agent, one sentence each. A soak whose faults miss the agent proves nothing. */
    List<String> missedFaults() {
        return Stream.of(PODS_REPAIRED, TOPOLOGIES_REPAIRED, KUBELET_FAILURES, API_FAILURES)
                .filter(counter -> counter.of(agent) <= 0)
                .map(counter -> "%s: the faults had no effect: %s is 0".formatted(node.name(), counter))
                .toList();
    }

    /** @param label one of its labels; empty: all of them together */
    private record Counter(String metric, String label) {

        private long of(MeasuredProcess agent) {
            return agent.metric(metric, label);
        }
    }

    SoakReport report() {
        return report;
    }

    /** Each as {@code node/id}. */
    SortedSet<String> unhealthy() {
        return unhealthy;
    }

    void requireAlive() {
        restartKubelet();
        agent.requireAlive();
    }

    /**
     * Deletes the memory state of a kubelet that does not start with it, as the kubelet's log recommends. After init containers whose
     * memory was reused, kubelet 1.36.3 rejects its own memory_manager_state ("the expected machine state is different from the real
     * one").
     */
    private void restartKubelet() {
        if (faults.containsKey(KUBELET) || node.kubeletPid().isPresent()) {
            return;
        }
        Path state = node.kubeletRoot().resolve("memory_manager_state");
        if (!Files.exists(state)) {
            node.requireKubelet();
        }
        restartsWithoutMemoryState++;
        node.stopKubelet();
        try {
            Files.deleteIfExists(state);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete a kubelet's memory state: file=%s".formatted(state), e);
        }
        node.startKubelet();
    }

    /** Adds the cost of its agent to the report, and returns it with the counters of the agent as one line. */
    String recordMinute() {
        ProcessFigures figures = agent.figures();
        SoakReport.Sample sample = new SoakReport.Sample(
                figures.residentKiB(),
                agent.liveHeapKiB(),
                figures.threads(),
                figures.openFiles(),
                figures.cpuMillis());
        report.add(sample);
        String heap =
                sample.liveHeapKiB().stream().mapToObj(Long::toString).findAny().orElse("-");
        return "%-4s %5d  %7.1f  %8s ".formatted(node.name(), steps, sample.residentKiB() / 1024.0, heap)
                + "%7d %5d  %6d | ".formatted(sample.threads(), sample.files(), sample.cpuMillis())
                + "%8d, ".formatted(agent.metric("numaledger_agent_pods_annotated"))
                + "%8d %13d | ".formatted(PODS_REPAIRED.of(agent), TOPOLOGIES_REPAIRED.of(agent))
                + "%19d, %3d".formatted(KUBELET_FAILURES.of(agent), API_FAILURES.of(agent));
    }

    /** How often each event happened. */
    String events() {
        return "%s: %s, kubelet did not start over its own memory state: %d"
                .formatted(node.name(), counts, restartsWithoutMemoryState);
    }

    /** Ends all faults. */
    void repair() {
        faults.values().forEach(fault -> fault.repair().run());
        faults.clear();
    }

    void step() {
        steps++;
        faults.values().removeIf(fault -> {
            boolean over = fault.until() <= steps;
            if (over) {
                fault.repair().run();
            }
            return over;
        });
        restartKubelet();
        SoakEvent what = SoakEvent.draw(random);
        counts.merge(what, 1, Integer::sum);
        try {
            apply(what);
        } catch (KubernetesClientException e) {
            // The object may be gone: pods also end by themselves.
            if (e.getCode() != 404 && e.getCode() != 409) {
                throw e;
            }
        }
    }

    private void apply(SoakEvent what) {
        switch (what) {
            case POD_CREATED -> create("%s-%d".formatted(node.name(), created++));
            case POD_DELETED -> anyPod().ifPresent(name -> delete(name, 1));
            case POD_FORCE_DELETED -> anyPod().ifPresent(name -> delete(name, 0));
            case POD_REPLACED ->
                anyPod().ifPresent(name -> {
                    delete(name, 0);
                    create(name);
                });
            case CONTAINER_ENDED -> endAContainer();
            case RECORD_FORGED -> anyPod().ifPresent(this::forge);
            case RECORD_REMOVED -> anyPod().ifPresent(name -> annotate(name, Annotations.OBSERVED, Optional.empty()));
            case TOPOLOGY_TAMPERED -> tamperWithTopology();
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

    private void breakFor(String part, int most, Runnable breakIt, Runnable repair) {
        int until = steps + 1 + random.below(most);
        if (!faults.containsKey(part)) {
            breakIt.run();
            faults.put(part, new Fault(until, repair));
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
        while (!allocatable.fits(drawn.total(), List.of())) {
            drawn = random.next(name);
        }
        boolean overcommitted = random.percent(OVERCOMMITTED_PERCENT);
        while (!overcommitted
                && !allocatable.fits(
                        drawn.total(), pods.stream().map(LivePod::total).toList())) {
            delete(anyPod().orElseThrow(), 1);
        }
        pods.add(new LivePod(name, overcommitted ? NOTHING : drawn.total()));
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
        if (random.percent(50)) {
            annotate(pod, Annotations.PLACEMENT, Optional.of("{\"version\":1,\"containers\":[]}"));
        } else {
            String record = "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"%d\"}}]".formatted(1 + random.below(9));
            annotate(pod, Annotations.OBSERVED, Optional.of(record));
        }
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

    /** Edits and deletes it in turn: the agent takes three edits in ten minutes for those of another publisher. */
    private void tamperWithTopology() {
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
        repair();
        agent.close();
        try {
            proxy.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close a proxy: node=%s".formatted(node.name()), e);
        }
    }
}
