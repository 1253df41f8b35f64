package io.numaledger.simulator.restore;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimClusterBuilder;
import io.numaledger.simulator.cluster.SimClusterException;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.record.RecordedPods;
import io.numaledger.simulator.replay.RecordedState;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/**
 * A recorded node whose pods hold what was recorded. Its first kubelet aligns nothing, so that it starts each of the pods; the second
 * one has the recorded configuration, and starts over state files with what the pods held.
 */
public final class RestoredNode {

    private static final String NAMESPACE = "default";

    private final RecordedState recorded;
    private final List<PodAllocation> held;

    /** @throws SimClusterException if the recording contradicts itself */
    public RestoredNode(Recording recording) {
        try {
            this.recorded = new RecordedState(recording);
            this.held =
                    recorded.held(recording).stream().map(RestoredNode::renamed).toList();
            var unused = recorded.state(held);
        } catch (IllegalArgumentException | StartupRefusedException e) {
            throw new SimClusterException(
                    "cannot restore the recorded pods: %s; to start the node without them, give nodes.yaml of the archive"
                            .formatted(e.getMessage()),
                    e);
        }
    }

    private static PodAllocation renamed(PodAllocation pod) {
        return new PodAllocation(
                pod.namespace(),
                RecordedPods.name(pod.name()),
                pod.containers().stream()
                        .filter(each -> !each.isEmpty())
                        .map(each -> new ContainerAllocation(
                                RecordedPods.name(each.name()), each.cpus(), each.memory(), each.devices()))
                        .toList());
    }

    /**
     * Makes it the only node of a cluster that is to be started.
     *
     * @param steps hears of each step, when it begins
     */
    public SimClusterBuilder in(SimClusterBuilder builder, Consumer<String> steps) {
        NodeSpec spec = recorded.spec();
        return builder.nodes(List.of(spec.withKubelet(spec.kubelet().withoutAlignment())))
                .prepared(cluster -> {
                    steps.accept("recorded pods");
                    restore(cluster, cluster.node(spec.name()));
                });
    }

    private void restore(SimCluster cluster, SimNode node) {
        create(cluster, node);
        Map<String, String> uids = pods(cluster).stream()
                .collect(Collectors.toMap(
                        pod -> pod.getMetadata().getName(),
                        pod -> pod.getMetadata().getUid()));
        node.stopKubelet();
        write(
                node,
                held.stream()
                        .map(pod -> pod.of(pod.namespace(), uid(uids, pod)))
                        .toList());
        node.restartKubelet(recorded.spec().kubelet());
        cluster.awaitReady(node);
        Wait.until("the kubelet has settled: node=" + node.name())
                .log(node.kubeletLog())
                .holds(() -> {
                    node.requireKubelet();
                    return node.hasSettled();
                });
        held.forEach(pod -> requireKept(node, pod, uid(uids, pod)));
    }

    private static String uid(Map<String, String> uids, PodAllocation pod) {
        return requireNonNull(uids.get(pod.name()));
    }

    private void create(SimCluster cluster, SimNode node) {
        if (!held.isEmpty()) {
            String manifests = RecordedPods.holding(held);
            cluster.client()
                    .load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8)))
                    .create();
        }
        Wait.until("the recorded pods run: count=" + held.size())
                .log(node.kubeletLog())
                .holds(() -> pods(cluster).stream()
                                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                                .count()
                        == held.size());
    }

    private static List<Pod> pods(SimCluster cluster) {
        return cluster.client().pods().inNamespace(NAMESPACE).list().getItems();
    }

    private void write(SimNode node, List<PodAllocation> byUid) {
        try {
            new StateFiles(recorded.spec(), recorded.state(byUid)).write(node.kubeletRoot());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write a kubelet's state: directory=%s; check that it may be written"
                            .formatted(node.kubeletRoot()),
                    e);
        }
    }

    private static void requireKept(SimNode node, PodAllocation pod, String uid) {
        List<ContainerAllocation> kept =
                List.copyOf(KubeletState.read(node.kubeletRoot()).ofPod(uid).values());
        if (!kept.equals(pod.containers())) {
            throw new SimClusterException(
                    "the kubelet does not keep what a recorded pod held: pod=%s recorded=%s kept=%s log=%s; its policies may refuse the pod"
                            .formatted(pod.name(), pod.containers(), kept, node.kubeletLog()));
        }
    }
}
