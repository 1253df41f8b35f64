package io.numaledger.e2e.rehearsal;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.zones.EvaluatedZones;
import io.numaledger.kubelet.KubeletRestart.StateFile;
import io.numaledger.objects.ClusterDump;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal.By;
import io.numaledger.scheduling.rehearsal.ChangedNode;
import io.numaledger.scheduling.rehearsal.Fate;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import io.numaledger.scheduling.rehearsal.RehearsedPod;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.workload.SeededPods;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Random changes of real kubelets with random pods, by a restart of the kubelet or of the machine: each is rehearsed on what is published, and
 * then made. Set {@code
 * -Dnumaledger.rehearsed-rounds} for more; a round changes each node once.
 */
class RehearsedChangesIT {

    private static final int ROUNDS = Integer.getInteger("numaledger.rehearsed-rounds", 2);
    private static final int PODS = 6;

    /** The nodes whose agents read what finished init containers keep. */
    private static final List<String> STATE_READ = List.of("best-effort", "restricted");

    private static final String NODES = """
            nodes:
            - name: none
              kubelet: {topologyManagerPolicy: none}
              numaNodes:
              - {id: 0, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
              - {id: 1, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
              devices:
              - {resource: example.com/gpu, count: 8, numaNodes: [0]}
            - name: best-effort
              kubelet: {topologyManagerPolicy: best-effort, topologyManagerScope: container}
              numaNodes:
              - {id: 0, socket: 0, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
              - {id: 1, socket: 0, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
              - {id: 2, socket: 1, cores: 6, memory: 8Gi, hugepages: {2Mi: 256}}
              devices:
              - {resource: example.com/gpu, count: 4, numaNodes: [0]}
              - {resource: example.com/gpu, count: 4, numaNodes: [2]}
            - name: restricted
              kubeletVersion: "%s"
              kubelet: {topologyManagerPolicy: restricted, topologyManagerScope: pod}
              numaNodes:
              - {id: 0, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
              - {id: 1, cores: 6, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
              devices:
              - {resource: example.com/gpu, count: 4, numaNodes: [0]}
              - {resource: example.com/gpu, count: 4, numaNodes: [1]}
            - name: single
              kubelet: {topologyManagerPolicy: single-numa-node, memoryManagerPolicy: None}
              numaNodes:
              - {id: 0, cores: 8, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
              - {id: 1, cores: 8, threadsPerCore: 2, memory: 12Gi, hugepages: {2Mi: 512}}
              devices:
              - {resource: example.com/gpu, count: 4, numaNodes: [1]}
            - name: whole
              kubelet:
                topologyManagerPolicy: restricted
                topologyManagerScope: pod
                featureGates: {PodLevelResourceManagers: true, InPlacePodLevelResourcesVerticalScaling: false}
              numaNodes:
              - {id: 0, cores: 8, memory: 12Gi}
              - {id: 1, cores: 8, memory: 12Gi}
              devices:
              - {resource: example.com/gpu, count: 4, numaNodes: [0]}
            """;

    /** A change of one node, and what it is expected to do. */
    private record Rehearsed(
            SimNode node, KubeletSpec before, String version, By by, SeededChange change, ChangedNode expected) {}

    @Test
    void kubeletsDoWhatWasRehearsed() throws Exception {
        List<String> kubelets = RealKubernetes.binaries().kubelets();
        List<String> differences = new ArrayList<>();
        SortedMap<String, Integer> seen = new TreeMap<>();
        try (BridgedCluster bridged = BridgedCluster.start(
                        RealKubernetes.binaries(),
                        NODES.formatted(RealKubernetes.otherKubelet()),
                        cluster -> ChartRights.credentials(cluster));
                Threads threads = new Threads(bridged.cluster().nodes().size())) {
            ClusterPods pods = new ClusterPods(bridged.cluster());
            for (String name : STATE_READ) {
                SimNode node = bridged.cluster().node(name);
                bridged.agents().stop(node);
                bridged.agents().start(node, "--kubelet-state-dir=" + node.kubeletRoot());
            }
            for (int round = 0; round < ROUNDS; round++) {
                fill(bridged, pods, round);
                RehearsedCluster now = read(bridged);
                List<Rehearsed> changes = new ArrayList<>();
                for (SimNode node : bridged.cluster().nodes()) {
                    changes.add(rehearse(
                            now, node, new Random(1000L * round + node.name().hashCode()), kubelets));
                }
                threads.all(changes.stream()
                                .<Callable<List<String>>>map(change -> () -> make(change, pods))
                                .toList())
                        .forEach(differences::add);
                changes.forEach(change -> count(change.expected(), seen));
                pods.deleteAll();
                threads.all(changes.stream()
                        .<Callable<List<String>>>map(change -> () -> restore(change))
                        .toList());
            }
        }
        System.out.println(
                "measured: rehearsed changes=%d %s differences=%d".formatted(5 * ROUNDS, seen, differences.size()));
        assertThat(differences).isEmpty();
    }

    private static void fill(BridgedCluster bridged, ClusterPods pods, int round) {
        for (SimNode node : bridged.cluster().nodes()) {
            SeededPods seeded = new SeededPods(
                    node.name(),
                    100L * round + node.name().hashCode(),
                    1,
                    node.spec().devices().stream()
                            .map(DevicePluginSpec::resource)
                            .distinct()
                            .toList());
            for (int i = 0; i < PODS; i++) {
                String name = node.name() + "-" + round + "-" + i;
                pods.create(
                        node.name().equals("whole") && i % 2 == 0
                                ? ofPod(name, node.name(), 2 + (round + i) % 5)
                                : seeded.next(name).pod());
            }
        }
        pods.awaitAllDecided();
        pods.all().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Failed"))
                .forEach(pod -> pods.delete(pod.getMetadata().getName()));
        System.out.println(bridged.awaitStateEqualsKubelets().summary());
    }

    /** A pod with resources of its own. */
    private static SimplePod ofPod(String name, String node, int cpus) {
        return SimplePod.named(name)
                .on(node)
                .ofResources("cpu=" + cpus, "memory=1Gi")
                .with("main", "cpu=1", "memory=256Mi")
                .with("rest");
    }

    private static RehearsedCluster read(BridgedCluster bridged) throws IOException {
        Kubectl kubectl = new Kubectl(
                RealKubernetes.binaries().directory().resolve("kubectl").toString(),
                List.of("--kubeconfig=" + bridged.cluster().kubeconfig()));
        return new EvaluatedZones(
                        ClusterDump.parse(kubectl.objects("nodes,noderesourcetopologies,pods")),
                        SnapshotSettings.DEFAULT)
                .rehearsed();
    }

    private static Rehearsed rehearse(RehearsedCluster now, SimNode node, Random random, List<String> kubelets) {
        KubeletSpec before = node.spec().kubelet();
        String version = node.spec().kubeletVersion().orElseThrow();
        SeededChange change = SeededChange.draw(random, before, version, kubelets);
        By by = random.nextInt(4) == 0 ? By.REBOOT : By.RESTART;
        ChangedNode expected = ChangeRehearsal.of(
                        now, change.change(), by, List.of(node.name()), ReferencePods.of(List.of()))
                .nodes()
                .get(0);
        return new Rehearsed(node, before, version, by, change, expected);
    }

    /** Makes the change; returns what differs from the rehearsal. */
    private static List<String> make(Rehearsed rehearsed, ClusterPods pods) throws IOException {
        SimNode node = rehearsed.node();
        ChangedNode expected = rehearsed.expected();
        List<String> differences = new ArrayList<>();
        String what =
                "%s %s -> %s by %s: ".formatted(node.name(), rehearsed.version(), rehearsed.change(), rehearsed.by());
        if (rehearsed.by() == By.REBOOT) {
            node.haltMachine();
        }
        node.restartKubelet(rehearsed.change().after(), rehearsed.change().version());
        await(what + "the kubelet settles or ends")
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> node.kubeletPid().isEmpty() || node.hasSettled());
        boolean runs = node.kubeletPid().isPresent();
        if (runs != expected.objection().isEmpty()) {
            differences.add(what
                    + "runs=%b expected: %s; the kubelet says: %s"
                            .formatted(runs, expected.objection(), lastError(node)));
            return differences;
        }
        if (!runs) {
            String log = Files.readString(node.kubeletLog()).replace("\\\"", "\"");
            if (!log.contains(expected.objection().replaceAll("defaultCpuSet: .*", ""))) {
                differences.add(what
                        + "another sentence than: %s; the kubelet says: %s"
                                .formatted(expected.objection(), lastError(node)));
            }
            if (!expected.starts()) {
                return differences;
            }
            for (StateFile file : expected.delete()) {
                Files.delete(node.kubeletRoot().resolve(file.toString()));
            }
            node.startKubelet();
            await(what + "the kubelet settles without %s, or ends".formatted(expected.delete()))
                    .atMost(ClusterPods.TIMEOUT)
                    .until(() -> node.kubeletPid().isEmpty() || node.hasSettled());
            if (node.kubeletPid().isEmpty()) {
                differences.add(what + "does not start without %s: %s".formatted(expected.delete(), lastError(node)));
                return differences;
            }
        }
        Map<String, Fate> fates = new HashMap<>();
        for (RehearsedPod pod : expected.pods()) {
            fates.put(pod.pod().name(), pod.fate());
        }
        long ended = fates.values().stream()
                .filter(fate -> fate != Fate.STAYS && fate != Fate.UNCERTAIN)
                .count();
        try {
            await(what + "pods that end")
                    .atMost(ClusterPods.TIMEOUT.dividedBy(6))
                    .until(() -> failed(pods, node) >= ended);
        } catch (org.awaitility.core.ConditionTimeoutException compared) {
            differences.add(what + compared.getMessage());
        }
        for (Pod pod : pods.all()) {
            if (!node.name().equals(pod.getSpec().getNodeName())) {
                continue;
            }
            boolean stays = !pod.getStatus().getPhase().equals("Failed");
            Fate fate = fates.get(pod.getMetadata().getName());
            if (fate != Fate.UNCERTAIN && (fate == null || stays != (fate == Fate.STAYS))) {
                differences.add(what
                        + "pod %s %s %s %s; expected %s"
                                .formatted(
                                        pod.getMetadata().getName(),
                                        pod.getStatus().getPhase(),
                                        pod.getStatus().getReason(),
                                        pod.getStatus().getMessage(),
                                        expected.pods().stream()
                                                .filter(each -> each.pod()
                                                        .name()
                                                        .equals(pod.getMetadata()
                                                                .getName()))
                                                .map(each -> each.fate() + " " + each.why() + " "
                                                        + each.pod().request())
                                                .toList())
                        + " assumed "
                        + expected.before().snapshots().likeliest().snapshot().assumptions()
                        + expected.before().snapshots().likeliest().snapshot().pods());
            }
        }
        return differences;
    }

    private static String lastError(SimNode node) throws IOException {
        String log = Files.readString(node.kubeletLog());
        int error = Math.max(log.lastIndexOf("panic: "), log.lastIndexOf("command failed"));
        int start = error < 0 ? Math.max(0, log.length() - 2500) : error;
        return log.substring(start, Math.min(log.length(), start + 2500));
    }

    private static long failed(ClusterPods pods, SimNode node) {
        return pods.all().stream()
                .filter(pod -> node.name().equals(pod.getSpec().getNodeName())
                        && pod.getStatus().getPhase().equals("Failed"))
                .count();
    }

    private static List<String> restore(Rehearsed rehearsed) {
        SimNode node = rehearsed.node();
        node.reconfigureKubelet(rehearsed.before());
        node.restartKubelet(rehearsed.before(), rehearsed.version());
        await("%s is as before".formatted(node.name()))
                .atMost(ClusterPods.TIMEOUT)
                .until(node::hasSettled);
        return List.of();
    }

    private static void count(ChangedNode node, SortedMap<String, Integer> seen) {
        seen.merge(
                node.objection().isEmpty() ? "started" : node.starts() ? "startedWithoutFiles" : "notStarted",
                1,
                Integer::sum);
        node.pods().forEach(pod -> seen.merge(pod.fate().toString(), 1, Integer::sum));
    }

    /** Runs tasks side by side. */
    private static final class Threads implements AutoCloseable {

        private final ExecutorService executor;

        Threads(int count) {
            executor = Executors.newFixedThreadPool(count);
        }

        List<String> all(List<Callable<List<String>>> tasks) throws InterruptedException, ExecutionException {
            List<String> results = new ArrayList<>();
            for (Future<List<String>> task : executor.invokeAll(tasks)) {
                results.addAll(task.get());
            }
            return results;
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }
}
