package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodView;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.PreparedPods;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.kubelet.Admission;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.placement.Placement;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.queue.FilterOutcome;
import io.numaledger.scheduling.queue.PendingPod;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A busy cluster in virtual time whose kubelets report late what pods hold: podresources, and so the agent's records and zones. Only the
 * kubelets, the API server and kube-scheduler are simulated. The bridge must not bind a pod that its kubelet refuses, and must not
 * retry pods in a hot loop.
 */
class LateReportsTest {

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();
    private static final int PODS = 150;
    private static final int MAX_REFUSED_BINDS = PODS / 10;
    private static final int MAX_REQUEUES_OF_A_POD = 10;
    private static final Duration ARRIVALS = Duration.ofMinutes(3);

    /** Pods that never end can leave the large ones a zone in which they run one after the other. */
    private static final Duration QUIET = Duration.ofMinutes(15);

    private static final Duration FIRST_BACK_OFF = Duration.ofSeconds(1);
    private static final Duration MAX_BACK_OFF = Duration.ofSeconds(10);
    private static final int BACK_OFFS_BELOW_MAX = 4;

    private static final String NODES = """
            nodes:
            - name: restricted
              kubelet: {topologyManagerPolicy: restricted, memoryManagerPolicy: None, reservedSystemCPUs: "0"}
              numaNodes: [{id: 0, socket: 0, cores: 9, memory: 32Gi}, {id: 1, socket: 1, cores: 8, memory: 32Gi}]
            - name: restricted-pod
              kubelet: {topologyManagerPolicy: restricted, topologyManagerScope: pod, reservedSystemCPUs: "0"}
              numaNodes: [{id: 0, socket: 0, cores: 9, memory: 32Gi}, {id: 1, socket: 1, cores: 8, memory: 32Gi}]
            - name: single
              kubelet: {topologyManagerPolicy: single-numa-node, memoryManagerPolicy: None, reservedSystemCPUs: "0"}
              numaNodes: [{id: 0, socket: 0, cores: 9, memory: 32Gi}, {id: 1, socket: 1, cores: 8, memory: 32Gi}]
            - name: single-gpu
              kubelet: {topologyManagerPolicy: single-numa-node, reservedSystemCPUs: "0"}
              numaNodes: [{id: 0, socket: 0, cores: 9, memory: 32Gi}, {id: 1, socket: 1, cores: 8, memory: 32Gi}]
              devices:
              - {resource: nvidia.com/gpu, count: 2, numaNodes: [0]}
              - {resource: nvidia.com/gpu, count: 2, numaNodes: [1]}
            """;

    private final VirtualTime time = new VirtualTime();
    private final ObjectReader reader = new ObjectReader();
    private final ResourceIndex resources = new ResourceIndex();
    private final ClusterState cluster =
            new ClusterState(SnapshotSettings.DEFAULT, new NodeClasses(resources), (pod, reservation) -> {}, time);
    private final BatchEvaluator evaluator = new BatchEvaluator(
            cluster,
            new PreparedPods(resources),
            new Ranking(List.of(ScoringCriterion.values()), Strategy.LeastAllocated));
    private final PendingPodQueue queue = new PendingPodQueue(
            cluster,
            evaluator,
            Duration.ofSeconds(2),
            () -> Duration.between(Instant.EPOCH, time.instant()).toNanos(),
            this::requeue);
    private final SortedMap<String, ReportingNode> nodes = new TreeMap<>();
    private final SortedMap<String, Job> jobs = new TreeMap<>();
    private final List<String> refusals = new ArrayList<>();
    private Random random = new Random(0);
    private VirtualTime.Watch podWatch = time.new Watch(random, 1);
    private VirtualTime.Watch topologyWatch = time.new Watch(random, 1);
    private int refusedBinds;

    /** A pod on its way through the scheduler. */
    private static final class Job {
        private final String uid;

        /** As the API server has it; absent: it is deleted. */
        private Optional<Pod> pod;

        private final Instant createdAt;
        private Optional<Instant> boundAt = Optional.empty();
        private Duration backOff = FIRST_BACK_OFF;
        private int attempts;
        private int requeues;

        /** The number of the next attempt: a requeue replaces the attempt after the back-off. */
        private long nextAttempt;

        private boolean binding;

        /** Where it is tried first. */
        private Optional<String> nominated = Optional.empty();

        Job(Pod pod, Instant createdAt) {
            this.uid = pod.getMetadata().getUid();
            this.pod = Optional.of(pod);
            this.createdAt = createdAt;
        }

        boolean waits() {
            return pod.isPresent() && boundAt.isEmpty();
        }

        boolean isOn(String node) {
            return pod.filter(any -> node.equals(any.getSpec().getNodeName())).isPresent();
        }
    }

    /** Here, zones alone decide: this scheduler does not compare node-level requests. */
    private static final Map<String, Quantity> PLENTY =
            Map.of("cpu", Quantity.parse("1k"), "memory", Quantity.parse("1Pi"), "pods", Quantity.parse("1k"));

    /** With these seeds, pods in flight are often placed elsewhere than predicted. */
    @ParameterizedTest(name = "reports are {0} s late, seed={1}")
    @CsvSource({"0, 9", "0, 37", "0, 125", "2, 9", "2, 37", "2, 125", "60, 9", "60, 37", "60, 125"})
    void noKubeletRefusesABoundPodAndNoPodIsRetriedInAHotLoop(int delaySeconds, long seed) {
        start(Duration.ofSeconds(delaySeconds), seed);
        for (int i = 0; i < PODS; i++) {
            String name = "pod-%03d".formatted(i);
            time.after(Duration.ofMillis(random.nextLong(ARRIVALS.toMillis())), () -> create(name));
        }
        time.runFor(ARRIVALS.plus(QUIET));

        assertThat(refusals).as("seed=%d", seed).isEmpty();
        assertThat(refusedBinds).isLessThan(MAX_REFUSED_BINDS);
        jobs.values().forEach(this::assertAttemptsAreBounded);
        assertThat(cluster.reservations()).isZero();
        nodes.keySet().forEach(this::assertStateEqualsKubelet);
        jobs.values().stream().filter(Job::waits).forEach(this::assertFitsNowhere);
    }

    private void start(Duration delay, long seed) {
        random = new Random(seed);
        podWatch = time.new Watch(random, 20);
        topologyWatch = time.new Watch(random, 20);
        for (NodeSpec spec : NodeSpecYaml.parse(NODES)) {
            ReportLag lag = new ReportLag(delay, Duration.ZERO, seed);
            ReportingNode node = new ReportingNode(new SimulatedKubelet(spec, lag, time), time.new Watch(random, 500));
            nodes.put(spec.name(), node);
            cluster.nodeChanged(reader.node(new NodeBuilder(NodeObject.of(spec))
                    .withStatus(NodeObject.status(spec, time.instant().toString()))
                    .editStatus()
                    .withAllocatable(PLENTY)
                    .endStatus()
                    .build()));
            report(node);
            time.every(Duration.ofMillis(250), () -> report(node));
        }
        time.every(Duration.ofSeconds(1), () -> {
            cluster.expire();
            queue.checkPending();
        });
    }

    // ---- API server

    private void create(String name) {
        SimplePod shape = SimplePod.named(name).neverRestarted();
        Pod pod = new PodBuilder(withRandomContainers(shape).build())
                .editMetadata()
                .withUid("uid-" + name)
                .withCreationTimestamp(seconds())
                .endMetadata()
                .withNewStatus()
                .withPhase("Pending")
                .endStatus()
                .build();
        Job job = new Job(pod, time.instant());
        jobs.put(job.uid, job);
        write(job, same -> same);
        time.after(milliseconds(1, 30), () -> attempt(job));
    }

    private SimplePod withRandomContainers(SimplePod pod) {
        int kind = random.nextInt(20);
        String memory = "memory=%dMi".formatted(256 * (1 + random.nextInt(8)));
        if (kind < 3) {
            return pod.burstable("main", "cpu=" + (1 + random.nextInt(3)), memory);
        }
        if (kind < 7) {
            return pod.with(
                    "main", "cpu=" + (1 + random.nextInt(3)), memory, "nvidia.com/gpu=" + (1 + random.nextInt(2)));
        }
        if (kind < 9) {
            return pod.with("first", "cpu=" + (1 + random.nextInt(3)), memory)
                    .with("second", "cpu=" + (1 + random.nextInt(4)), memory);
        }
        return pod.with("main", "cpu=" + (1 + random.nextInt(8)), memory);
    }

    /** Writes a pod that still exists; the bridge sees it some milliseconds later. */
    private void write(Job job, UnaryOperator<PodBuilder> change) {
        job.pod.ifPresent(before -> {
            Pod changed = change.apply(new PodBuilder(before)).build();
            job.pod = Optional.of(changed);
            podWatch.deliver(() -> {
                PodFacts facts = read(changed);
                cluster.podChanged(facts);
                facts.node().ifPresent(node -> queue.remove(facts));
            });
        });
    }

    private void delete(Job job) {
        job.pod.ifPresent(last -> podWatch.deliver(() -> {
            PodFacts facts = read(last);
            cluster.podDeleted(facts);
            queue.remove(facts);
        }));
        job.pod = Optional.empty();
    }

    private PodFacts read(Pod pod) {
        return reader.pod(TYPED.convertValue(pod, PodObject.class));
    }

    private String seconds() {
        return time.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private Duration milliseconds(int from, int to) {
        return Duration.ofMillis(from + random.nextInt(to - from));
    }

    // ---- kube-scheduler

    private void requeue(PodFacts pod, Optional<String> node) {
        Job job = jobs.get(pod.uid().orElseThrow());
        job.requeues++;
        job.nominated = node;
        retry(job, milliseconds(1, 20));
    }

    private void retry(Job job, Duration delay) {
        long number = ++job.nextAttempt;
        time.after(delay, () -> {
            if (number == job.nextAttempt) {
                attempt(job);
            }
        });
    }

    private void backOff(Job job) {
        retry(job, job.backOff);
        Duration twice = job.backOff.multipliedBy(2);
        job.backOff = twice.compareTo(MAX_BACK_OFF) < 0 ? twice : MAX_BACK_OFF;
    }

    /** The verb filter, then the nominated node, or a random one of those that are left. */
    private void attempt(Job job) {
        if (!job.waits() || job.binding) {
            return;
        }
        job.attempts++;
        PodFacts pod = cluster.pods().known(read(job.pod.orElseThrow()));
        NodeNames names = NodeNames.of(cluster.index(), nodes.keySet());
        long version = cluster.versions().last();
        List<Evaluation> evaluations = evaluator.evaluate(names, pod, cluster.budget(pod, names.size()));
        List<String> admitting = new ArrayList<>(IntStream.range(0, names.size())
                .filter(place -> evaluations.get(place).admits())
                .mapToObj(names::get)
                .toList());
        Map<String, PendingPod> reserved =
                queue.reservedForOlder(pod, admitting, admitting.size(), cluster.budget(pod, admitting.size()));
        admitting.removeAll(reserved.keySet());
        admitting.removeIf(node ->
                cluster.reserved().refusal(node, pod, cluster.budget(pod, 1)).isPresent());
        queue.record(new FilterOutcome(
                pod, names, reserved, !admitting.isEmpty(), version, Optional.empty(), Optional.empty(), List.of()));
        if (admitting.isEmpty()) {
            job.nominated = Optional.empty();
            backOff(job);
        } else {
            job.binding = true;
            String any = admitting.get(random.nextInt(admitting.size()));
            String node = job.nominated.filter(admitting::contains).orElse(any);
            job.nominated = Optional.empty();
            time.after(milliseconds(1, 30), () -> bind(job, node));
        }
    }

    private void bind(Job job, String node) {
        PodFacts pod = cluster.pods().known(read(job.pod.orElseThrow()));
        job.binding = false;
        boolean bound = cluster.binds().bind(node, pod, evaluation -> {
            boolean admitted = evaluation.orElseThrow().admits();
            if (admitted) {
                commit(job, node, evaluation.get());
            }
            return admitted;
        });
        if (!bound) {
            refusedBinds++;
            backOff(job);
        }
    }

    private void commit(Job job, String node, Evaluation evaluation) {
        Optional<Placement> predicted = evaluation instanceof Fits fits
                ? fits.placement().map(each -> each.placement()).filter(placement -> !placement.isEmpty())
                : Optional.empty();
        job.boundAt = Optional.of(time.instant());
        write(job, pod -> {
            PodBuilder bound = pod.editSpec().withNodeName(node).endSpec();
            return predicted
                    .map(placement -> bound.editMetadata()
                            .addToAnnotations(Annotations.PREDICTED, ObservedPlacementText.write(placement))
                            .endMetadata())
                    .orElse(bound);
        });
        nodes.get(node).watch().deliver(() -> admit(job, nodes.get(node)));
        if (random.nextInt(40) > 0) {
            Duration life = milliseconds(2_000, 60_000);
            int kind = random.nextInt(3);
            time.after(life, () -> end(job, nodes.get(node), kind));
        }
    }

    // ---- kubelets and agents

    /** The status is seen some time after the admission, and the reports later. */
    private void admit(Job job, ReportingNode node) {
        Pod pod = job.pod.orElseThrow();
        Admission admission = node.admit(pod);
        if (!admission.isAdmitted()) {
            refusals.add("at=%s pod=%s node=%s: %s"
                    .formatted(
                            time.instant(),
                            job.uid,
                            node.name(),
                            node.kubelet().refusal(job.uid).orElse(admission.toString())));
        }
        String now = seconds();
        time.after(
                milliseconds(100, 500),
                () -> write(
                        job,
                        seen -> seen.withStatus(
                                PodLifecycle.withStatus(pod, admission, now).getStatus())));
    }

    private void end(Job job, ReportingNode node, int kind) {
        switch (kind) {
            case 0 -> deleteGracefully(job, node);
            case 1 -> exit(job, node, "Succeeded");
            default -> deleteAtOnce(job, node);
        }
    }

    private void deleteAtOnce(Job job, ReportingNode node) {
        delete(job);
        node.watch().deliver(() -> node.kubelet().remove(job.uid));
    }

    private void deleteGracefully(Job job, ReportingNode node) {
        write(job, pod -> pod.editMetadata().withDeletionTimestamp(seconds()).endMetadata());
        node.watch().deliver(() -> time.after(milliseconds(0, 2_000), () -> exit(job, node, "Failed")));
    }

    /** The kubelet frees what the pod held before it writes the status. */
    private void exit(Job job, ReportingNode node, String phase) {
        node.kubelet().remove(job.uid);
        time.after(milliseconds(100, 500), () -> {
            write(job, pod -> pod.editStatus().withPhase(phase).endStatus());
            time.after(milliseconds(10, 5_000), () -> delete(job));
        });
    }

    private void report(ReportingNode node) {
        List<Job> own =
                jobs.values().stream().filter(job -> job.isOn(node.name())).toList();
        ReportingNode.Report report =
                node.report(own.stream().map(job -> view(job.pod.orElseThrow())).toList(), time.instant());
        for (Job job : own) {
            PodRecords before = view(job.pod.orElseThrow()).records();
            PodRecords records = report.records().getOrDefault(job.uid, before);
            if (!records.equals(before)) {
                write(job, pod -> annotated(pod, records));
            }
        }
        report.topology()
                .ifPresent(topology -> topologyWatch.deliver(() -> cluster.topologyChanged(topology, time.instant())));
    }

    private static PodView view(Pod pod) {
        Optional<Map<String, String>> annotations =
                Optional.ofNullable(pod.getMetadata().getAnnotations());
        return new PodView(
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                pod.getMetadata().getUid(),
                pod.getStatus().getStartTime() != null,
                List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()),
                new PodRecords(
                        annotations.map(all -> all.get(Annotations.OBSERVED)),
                        annotations.map(all -> all.get(Annotations.PLACEMENT))));
    }

    private static PodBuilder annotated(PodBuilder pod, PodRecords records) {
        var metadata = pod.editMetadata()
                .removeFromAnnotations(Annotations.OBSERVED)
                .removeFromAnnotations(Annotations.PLACEMENT);
        records.observed().ifPresent(text -> metadata.addToAnnotations(Annotations.OBSERVED, text));
        records.placement().ifPresent(text -> metadata.addToAnnotations(Annotations.PLACEMENT, text));
        return metadata.endMetadata();
    }

    // ---- what must hold at the end

    private void assertAttemptsAreBounded(Job job) {
        Duration waited = Duration.between(job.createdAt, job.boundAt.orElse(time.instant()));
        long backOffs = BACK_OFFS_BELOW_MAX + waited.dividedBy(MAX_BACK_OFF);
        assertThat(job.attempts)
                .as("attempts of %s, which waited %s and was requeued %d times", job.uid, waited, job.requeues)
                .isLessThanOrEqualTo((int) (1 + backOffs + job.requeues));
        assertThat(job.requeues).as("requeues of %s", job.uid).isLessThanOrEqualTo(MAX_REQUEUES_OF_A_POD);
    }

    private void assertStateEqualsKubelet(String node) {
        SortedMap<String, Placement> known = new TreeMap<>();
        for (PodHolding held : cluster.snapshot(node).orElseThrow().pods()) {
            known.put(held.key(), held.placement());
        }
        assertThat(known).as("held on %s", node).isEqualTo(nodes.get(node).placements());
    }

    private void assertFitsNowhere(Job job) {
        Pod pod = job.pod.orElseThrow();
        assertThat(evaluator.admitting(nodes.keySet(), read(pod), cluster.budget(read(pod), nodes.size())))
                .as(job.uid)
                .isEmpty();
        for (ReportingNode node : nodes.values()) {
            assertThat(node.admit(pod).isAdmitted())
                    .as("%s on %s", job.uid, node.name())
                    .isFalse();
        }
    }
}
