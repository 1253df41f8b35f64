package io.numaledger.e2e.bridge;

import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnReport;
import io.numaledger.benchmarks.churn.ChurnRun;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.realapiserver.ChildProcess;
import io.numaledger.realapiserver.FreePort;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pods that come and go on real kubelets, with two replicas of which one is replaced or killed all the time, while agents, kubelets and
 * the API server fail: no kubelet refuses a pod, every pod that fits runs, and at the end the ledger equals the kubelets' state.
 *
 * <p>{@code -Dnumaledger.churn.pods=1000} runs the long version.
 */
class ReplicasIT {

    private static final int PODS = Integer.getInteger("numaledger.churn.pods", 150);
    private static final int PERIOD_SECONDS = 5;

    /** The replicas' output is kept if the test fails. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final ScheduledExecutorService faults = Executors.newSingleThreadScheduledExecutor();
    private final SortedMap<String, Integer> injected = new ConcurrentSkipListMap<>();
    private final List<Integer> ports = List.of(FreePort.next(), FreePort.next());
    private final List<AtomicReference<Optional<ChildProcess>>> replicas =
            List.of(new AtomicReference<>(Optional.empty()), new AtomicReference<>(Optional.empty()));
    private final AtomicReference<Path> kubeconfig = new AtomicReference<>();
    private int count;

    @AfterEach
    void stop() throws InterruptedException {
        faults.shutdown();
        assertThat(faults.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        replicas.forEach(replica -> replica.get().ifPresent(ChildProcess::close));
    }

    @Test
    void noKubeletRefusesAPodWhateverFails() throws Exception {
        ChurnMix mix = ChurnMix.lasting(PODS);
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
                ChurnRun churn = new ChurnRun(cluster.cluster(), mix)) {
            assertThat(front).isNotNull();
            start(0, certificates);
            start(1, certificates);
            var unused = faults.scheduleWithFixedDelay(
                    () -> fault(cluster, certificates), PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
            ChurnReport report = churn.run(cluster::fits);
            unused.cancel(false);

            System.out.printf("%s faults=%s%n", report.line("replicas"), injected);
            assertThat(report.refused()).isEmpty();
            assertThat(report.ran() + report.waiting()).isEqualTo(mix.arrivals().size());
            assertThat(injected).hasSize(5);
            System.out.println(cluster.awaitStateEqualsKubelets().summary());
        }
    }

    private Credentials credentials(SimCluster started) {
        Credentials credentials = ChartRights.credentials(started);
        kubeconfig.set(credentials.bridge());
        return credentials;
    }

    /** One fault after another; each is over when this returns. */
    private void fault(BridgedCluster cluster, BridgeCertificates certificates) {
        try {
            int now = count++;
            SimNode node = cluster.cluster().node(now % 2 == 0 ? "four" : "restricted");
            switch (now % 6) {
                case 0, 3 -> replace("replica replaced", ProcessHandle::destroy, certificates);
                case 1 -> replace("replica killed", ProcessHandle::destroyForcibly, certificates);
                case 2 -> {
                    cluster.agents().stop(node);
                    TimeUnit.SECONDS.sleep(3);
                    cluster.agents().start(node);
                    injected.merge("agent away for 3 s", 1, Integer::sum);
                }
                case 4 -> {
                    node.stopKubelet();
                    node.startKubelet();
                    injected.merge("kubelet restarted", 1, Integer::sum);
                }
                default -> {
                    suspendApiServer(cluster);
                    injected.merge("API server silent for 3 s", 1, Integer::sum);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void suspendApiServer(BridgedCluster cluster) throws InterruptedException {
        long pid = cluster.cluster().apiServer().pid();
        signal("STOP", pid);
        TimeUnit.SECONDS.sleep(3);
        signal("CONT", pid);
    }

    private static void signal(String signal, long pid) throws InterruptedException {
        try {
            assertThat(new ProcessBuilder("kill", "-" + signal, String.valueOf(pid))
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void replace(String fault, Consumer<ProcessHandle> end, BridgeCertificates certificates) {
        int index = injected.getOrDefault("replica replaced", 0) % 2;
        ChildProcess process = replicas.get(index).get().orElseThrow();
        ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
        end.accept(handle);
        handle.onExit().join();
        process.close();
        start(index, certificates);
        injected.merge(fault, 1, Integer::sum);
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
