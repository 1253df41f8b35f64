package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnReport;
import io.numaledger.benchmarks.churn.ChurnRun;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.e2e.support.RefusalTrace;
import io.numaledger.e2e.support.Signal;
import io.numaledger.evaluation.snapshot.PlacementSource;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimClusterException;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Pods that come and go on real kubelets, with two replicas of which one is replaced or killed all the time, while agents, kubelets and
 * the API server fail: no kubelet refuses a pod, every pod that fits runs, and at the end the bridge's state equals the kubelets'.
 *
 * <p>{@code -Dnumaledger.churn.pods=1000} runs the long version. There the replicas live through the last part of the churn, so that their
 * heap shows what they keep.
 */
class ReplicasIT {

    private static final int PODS = Integer.getInteger("numaledger.churn.pods", 150);
    private static final boolean LONG = PODS >= 500;
    private static final int PERIOD_SECONDS = LONG ? 8 : 5;

    /** From then on, replicas live to the end of the long version. */
    private static final int LAST_REPLICAS = PODS * 6 / 10;

    /** A hundred pods later in the long version: what they keep by then is compared with the end. */
    private static final int FIRST_PODS = LONG ? LAST_REPLICAS + 100 : 100;

    private static final int KINDS = 7;
    private static final int LEAST_KINDS = LONG ? 6 : 3;
    private static final Duration IN_FLIGHT = Duration.ofMinutes(3);

    /** The replicas' output is kept if the test fails. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final ScheduledExecutorService faults = Executors.newSingleThreadScheduledExecutor();
    private final Queue<InjectedFault> injected = new ConcurrentLinkedQueue<>();
    private final List<Integer> ports = List.of(FreePort.next(), FreePort.next());
    private final List<AtomicReference<Optional<ChildProcess>>> replicas =
            List.of(new AtomicReference<>(Optional.empty()), new AtomicReference<>(Optional.empty()));
    private final AtomicReference<Path> kubeconfig = new AtomicReference<>();
    private int count;

    @AfterEach
    void stop() throws InterruptedException {
        faults.shutdown();
        assertThat(faults.awaitTermination(3, TimeUnit.MINUTES)).isTrue();
        replicas.forEach(replica -> replica.get().ifPresent(ChildProcess::close));
    }

    @Test
    void noKubeletRefusesAPodWhateverFails() throws Exception {
        ChurnMix mix = ChurnMix.lasting(PODS, RealKubernetes.otherKubelet());
        BridgeCertificates certificates = BridgeCertificates.make(directory);
        int port = FreePort.next();
        String configuration = SchedulerConfig.text(
                "https://127.0.0.1:" + port,
                "default-scheduler",
                Optional.empty(),
                Optional.of(certificates.scheduler()),
                false);
        try (ReplicaFront front = new ReplicaFront(port, ports);
                BridgedCluster cluster = BridgedCluster.watching(
                        RealKubernetes.binaries(), mix.nodes(), configuration, this::credentials);
                RefusalTrace refusals = new RefusalTrace(cluster.cluster());
                ChurnRun churn = new ChurnRun(cluster.cluster(), mix)) {
            assertThat(front).isNotNull();
            start(0, certificates);
            start(1, certificates);
            AtomicReference<Optional<LiveHeap>> afterFirst = new AtomicReference<>(Optional.empty());
            var unused = faults.scheduleWithFixedDelay(
                    () -> fault(cluster, certificates, churn), PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
            var measured = faults.scheduleWithFixedDelay(
                    () -> {
                        if (afterFirst.get().isEmpty() && churn.created() >= FIRST_PODS) {
                            afterFirst.set(Optional.of(liveHeap(certificates)));
                        }
                    },
                    1,
                    1,
                    TimeUnit.SECONDS);
            ChurnReport report = churn.run(cluster::fits);
            unused.cancel(false);
            measured.cancel(false);
            LiveHeap heap = CompletableFuture.supplyAsync(() -> liveHeap(certificates), faults)
                    .get();

            LiveHeap first = afterFirst.get().orElseThrow();
            System.out.println(report.line("replicas"));
            System.out.println(InjectedFault.table(List.copyOf(injected), report));
            System.out.printf(
                    "measured: live heap after %d pods %d KiB, at the end %d KiB%n",
                    FIRST_PODS, first.bytes() >> 10, heap.bytes() >> 10);
            refusals.traces().forEach(System.out::println);
            List<String> misses = missedPredictions();
            misses.forEach(miss -> System.out.println("measured: " + miss));
            assertThat(misses).noneMatch(miss -> miss.contains("confidence=exact"));
            assertThat(refusals.foreseeable()).isEmpty();
            long refused = report.refused().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            assertThat(refused).as("pods beside unforeseeable ends").isLessThanOrEqualTo(PODS / 50);
            assertThat(report.ran() + report.waiting() + refused)
                    .isEqualTo(mix.arrivals().size());
            assertThat(injected.stream().map(InjectedFault::kind).distinct()).hasSizeGreaterThanOrEqualTo(LEAST_KINDS);
            System.out.println(cluster.awaitStateEqualsKubelets().summary());
            assertThat(cluster.bridge().cluster().reservations()).isZero();
            if (LONG) {
                assertThat(heap.bytes())
                        .as("first:%n%s%nat the end:%n%s", first.largest(), heap.largest())
                        .isLessThanOrEqualTo(first.bytes() * 6 / 5);
            }
        }
    }

    private List<String> missedPredictions() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<String> misses = new ArrayList<>();
            for (Path log :
                    files.filter(file -> file.toString().endsWith(".log")).toList()) {
                Files.readAllLines(log).stream()
                        .filter(line -> line.contains("event=prediction.missed"))
                        .forEach(misses::add);
            }
            return misses;
        }
    }

    private Credentials credentials(SimCluster started) {
        Credentials credentials = ChartRights.credentials(started);
        kubeconfig.set(credentials.bridge());
        return credentials;
    }

    /**
     * One fault after another while pods come; each is over when this returns. kubelets and kube-scheduler need up to a minute after a
     * restart of the API server, so that there are few.
     */
    private void fault(BridgedCluster cluster, BridgeCertificates certificates, ChurnRun churn) {
        if (LONG && churn.created() >= PODS) {
            return;
        }
        int now = count++;
        SimNode node = cluster.cluster().node(now % 2 == 0 ? "four" : "restricted");
        boolean replicasStay = LONG && churn.created() > LAST_REPLICAS;
        try {
            restartEnded(certificates);
            cluster.cluster().nodes().forEach(ReplicasIT::restartEndedKubelet);
            switch (now % KINDS) {
                case 0 ->
                    inject("replica replaced", !replicasStay, () -> replace(0, ProcessHandle::destroy, certificates));
                case 1 -> inject("leader killed", !replicasStay, () -> killLeader(cluster, certificates));
                case 2 ->
                    inject("agent away for 3 s", true, () -> {
                        cluster.agents().stop(node);
                        TimeUnit.SECONDS.sleep(3);
                        cluster.agents().start(node);
                    });
                case 3 ->
                    inject("replica replaced", !replicasStay, () -> replace(1, ProcessHandle::destroy, certificates));
                case 4 ->
                    inject("kubelet restarted", true, () -> {
                        cordon(cluster, node, true);
                        try {
                            awaitNoneInFlight(cluster, node);
                            node.stopKubelet();
                            node.startKubelet();
                            await("the kubelet knows its pods")
                                    .atMost(IN_FLIGHT)
                                    .until(node::hasRunHousekeeping);
                        } finally {
                            cordon(cluster, node, false);
                        }
                    });
                case 5 -> inject("API server silent for 3 s", true, () -> suspendApiServer(cluster));
                default ->
                    inject("API server restarted", now < 2 * KINDS, () -> {
                        cluster.cluster().apiServer().stopServer();
                        cluster.cluster().apiServer().startServer();
                    });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            // An exception would end all later faults.
            System.out.printf("measured: fault %d was not injected: %s%n", now, e);
        }
    }

    private interface Fault {
        void inject() throws InterruptedException;
    }

    private void inject(String kind, boolean wanted, Fault fault) throws InterruptedException {
        if (wanted) {
            long begun = System.nanoTime();
            fault.inject();
            injected.add(new InjectedFault(kind, begun, System.nanoTime()));
        }
    }

    /**
     * A kubelet that starts admits its first pods before it forgets what ended pods held (removeStaleState, cpu_manager.go, waits for all
     * sources). Pods that are bound while it is away may be refused: operators cordon the node first.
     */
    private static void cordon(BridgedCluster cluster, SimNode node, boolean cordoned) {
        cluster.cluster()
                .client()
                .nodes()
                .withName(node.name())
                .edit(it -> new NodeBuilder(it)
                        .editSpec()
                        .withUnschedulable(cordoned)
                        .endSpec()
                        .build());
    }

    private static void awaitNoneInFlight(BridgedCluster cluster, SimNode node) {
        await("the bridges have seen it, and no pod is in flight")
                .pollDelay(Duration.ofSeconds(1))
                .atMost(IN_FLIGHT)
                .until(() -> cluster.bridge()
                        .cluster()
                        .snapshots(node.name())
                        .filter(now -> now.likeliest().snapshot().pods().stream()
                                .noneMatch(held -> held.source() == PlacementSource.RESERVED))
                        .isPresent());
    }

    /** As systemd does: a kubelet that starts while the API server is away may end. */
    private static void restartEndedKubelet(SimNode node) {
        try {
            node.requireKubelet();
        } catch (SimClusterException ended) {
            System.out.println("measured: started again: " + ended.getMessage());
            node.startKubelet();
        }
    }

    private static void suspendApiServer(BridgedCluster cluster) throws InterruptedException {
        long pid = cluster.cluster().apiServer().pid();
        Signal.suspend(pid);
        TimeUnit.SECONDS.sleep(3);
        Signal.resume(pid);
    }

    /** Replicas name themselves by their address. */
    private void killLeader(BridgedCluster cluster, BridgeCertificates certificates) {
        boolean first = cluster.cluster().client().leases().inAnyNamespace().list().getItems().stream()
                .filter(lease -> lease.getMetadata().getName().equals("numaledger-bridge"))
                .anyMatch(lease ->
                        String.valueOf(lease.getSpec().getHolderIdentity()).endsWith(":" + ports.get(0)));
        replace(first ? 0 : 1, ProcessHandle::destroyForcibly, certificates);
    }

    private void replace(int index, Consumer<ProcessHandle> end, BridgeCertificates certificates) {
        ChildProcess process = process(index);
        ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
        end.accept(handle);
        handle.onExit().join();
        process.close();
        start(index, certificates);
    }

    /** As a kubelet does: a bridge that starts while the API server knows no roles yet says that it may not read the cluster, and ends. */
    private void restartEnded(BridgeCertificates certificates) {
        for (int index = 0; index < replicas.size(); index++) {
            if (ProcessHandle.of(process(index).pid()).isEmpty()) {
                process(index).close();
                start(index, certificates);
            }
        }
    }

    private ChildProcess process(int index) {
        return replicas.get(index).get().orElseThrow();
    }

    /** The larger replica's live objects, after a full garbage collection. */
    private LiveHeap liveHeap(BridgeCertificates certificates) {
        restartEnded(certificates);
        return Stream.of(process(0), process(1))
                .map(process -> LiveHeap.of(process.pid()))
                .max(Comparator.comparingLong(LiveHeap::bytes))
                .orElseThrow();
    }

    private void start(int index, BridgeCertificates certificates) {
        replicas.get(index)
                .set(Optional.of(BridgeProcess.replica(
                        "replica-%d-%d".formatted(index, count),
                        ports.get(index),
                        kubeconfig.get(),
                        directory,
                        certificates)));
    }
}
