package io.numaledger.e2e.model;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.pod.PodRequest;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.node.PodRequests;
import io.numaledger.simulator.node.ReportLag;
import io.numaledger.simulator.node.SimulatedKubelet;
import io.numaledger.simulator.node.SpecModel;
import io.numaledger.simulator.workload.NodeAllocatable;
import io.numaledger.simulator.workload.SeededPods;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import static org.awaitility.Awaitility.await;

/**
 * One real kubelet, the model, and the simulated kubelet, all on the same hardware and given the same pods one by one. The
 * model predicts from its own state. Where the kubelet has drawn devices by chance, the model learns which; the simulated
 * kubelet does not, and is compared up to there.
 */
final class LiveNode implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int REMOVED_PERCENT = 30;

    private final SimNode node;
    private final KubernetesClient client;
    private final SeededPods pods;
    private final PodResourcesClient podResources;
    private final KubeletModel model;
    private final SimulatedKubelet simulated;
    private final NodeAllocatable allocatable;
    private final List<Live> live = new ArrayList<>();
    private final LiveReport.Counter report;
    private NodeState state;
    private boolean simulatedMayDiffer;

    private record Live(String name, String uid, SortedMap<String, Long> total) {}

    LiveNode(SimNode node, KubernetesClient client, long seed) {
        this.node = node;
        this.client = client;
        this.allocatable = NodeAllocatable.read(client, node.name());
        this.pods = new SeededPods(
                node.name(),
                seed,
                cpuStep(node.spec()),
                node.spec().devices().stream().map(DevicePluginSpec::resource).toList());
        this.podResources = new PodResourcesClient(node.podResourcesSocket(), TIMEOUT, warning -> {});
        this.model = SpecModel.start(node.spec());
        this.simulated = new SimulatedKubelet(node.spec(), ReportLag.none(), InstantSource.system());
        this.state = model.empty();
        this.report = new LiveReport.Counter(node.name());
    }

    /** With full-pcpus-only, CPUs are for whole cores. */
    private static int cpuStep(NodeSpec spec) {
        return spec.kubelet().cpuManager().options().containsKey("full-pcpus-only")
                ? spec.numaNodes().get(0).threadsPerCore()
                : 1;
    }

    LiveReport run(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            SeededPods.Drawn drawn = drawThatFitsTheEmptyNode(node.name() + "-" + i);
            if (!live.isEmpty() && pods.percent(REMOVED_PERCENT)) {
                removeAny();
            }
            while (!fits(drawn.total(), true)) {
                removeAny();
            }
            admit(drawn);
        }
        return report.report();
    }

    private SeededPods.Drawn drawThatFitsTheEmptyNode(String name) {
        SeededPods.Drawn drawn = pods.next(name);
        while (!fits(drawn.total(), false)) {
            drawn = pods.next(name);
        }
        return drawn;
    }

    private boolean fits(SortedMap<String, Long> wanted, boolean besideOthers) {
        return allocatable.fits(
                wanted, besideOthers ? live.stream().map(Live::total).toList() : List.of());
    }

    private void admit(SeededPods.Drawn drawn) {
        Pod pod = drawn.pod().build();
        String name = pod.getMetadata().getName();
        PodRequest request = PodRequests.of(
                new PodBuilder(pod).editMetadata().withUid(name).endMetadata().build());
        Decision decision = model.admit(state, request);
        Admission bySimulated = simulated.admit("default", name, request);

        LiveVerdict verdict = decide(pod, drawn.hasPlainInit());

        boolean drawnByChance = hasDraws(decision.admission());
        List<String> differences = verdict.differences(decision.admission(), request);
        if (drawnByChance
                && !differences.isEmpty()
                && request.inAllocationOrder().size() > 1) {
            // What later containers got hangs on the draw. Without this pod the node is as before.
            report.byChance();
            takeBack(pod, verdict);
            state = model.removeStaleState(state);
            simulatedMayDiffer = true;
            return;
        }
        if (verdict.isAdmitted()) {
            differences.addAll(verdict.differences(decision.state()));
        }
        report.compared(verdict, differences);
        state = decision.state();
        if (verdict.isAdmitted()) {
            state = model.started(state, request);
            live.add(new Live(name, verdict.pod().getMetadata().getUid(), drawn.total()));
        }
        if (drawnByChance) {
            report.drawn();
            state = withDevicesOfTheKubelet();
        }
        simulatedMayDiffer |= drawnByChance;
        if (!simulatedMayDiffer) {
            report.comparedSimulated(verdict.differences(bySimulated, request));
        }
    }

    private static boolean hasDraws(Admission answer) {
        return (answer instanceof Admission.Admitted admitted
                        && !admitted.undetermined().isEmpty())
                || (answer instanceof Admission.Refused refused
                        && !refused.undetermined().isEmpty());
    }

    private LiveVerdict decide(Pod pod, boolean untilItRuns) {
        String uid = client.resource(pod).create().getMetadata().getUid();
        Pod decided = client.resource(pod)
                .waitUntilCondition(
                        found -> found != null
                                && (found.getStatus().getPhase().equals("Failed")
                                        || found.getStatus().getPhase().equals("Running")
                                        || (!untilItRuns && found.getStatus().getStartTime() != null)),
                        TIMEOUT.toSeconds(),
                        TimeUnit.SECONDS);
        KubeletState kubelet = kubeletState();
        return new LiveVerdict(decided, kubelet.ofPod(uid), kubelet.sharedCpus());
    }

    private KubeletState kubeletState() {
        return KubeletState.read(node.kubeletRoot());
    }

    /** Which of several devices on different NUMA nodes the kubelet took is learnt from the kubelet; nothing else is. */
    private NodeState withDevicesOfTheKubelet() {
        KubeletState kubelet = kubeletState();
        DeviceState devices = DeviceState.EMPTY;
        for (Live pod : live) {
            for (var container : kubelet.ofPod(pod.uid()).values()) {
                SortedMap<String, SortedSet<String>> ids = new TreeMap<>();
                for (DeviceAllocation device : container.devices()) {
                    ids.computeIfAbsent(device.resource(), resource -> new TreeSet<>())
                            .add(device.deviceId());
                }
                for (var resource : ids.entrySet()) {
                    devices = model.devices()
                            .orElseThrow()
                            .hold(devices, pod.name(), container.name(), resource.getKey(), resource.getValue());
                }
            }
        }
        return new NodeState(state.cpus(), state.memory(), devices, state.stale());
    }

    private void removeAny() {
        Live pod = live.remove(pods.below(live.size()));
        delete(pod.name());
        state = model.ended(state, pod.name());
        simulated.remove(pod.name());
        report.removed();
    }

    private void takeBack(Pod pod, LiveVerdict verdict) {
        if (verdict.isAdmitted()) {
            delete(pod.getMetadata().getName());
        }
    }

    /** Until the kubelet counts it among its active pods no more: these are the ones that podresources list. */
    private void delete(String name) {
        client.pods().inNamespace("default").withName(name).delete();
        await("the kubelet of %s lets go of %s".formatted(node.name(), name))
                .atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> podResources.list().pods().stream()
                        .noneMatch(listed -> listed.name().equals(name)));
    }

    @Override
    public void close() {
        podResources.close();
    }
}
