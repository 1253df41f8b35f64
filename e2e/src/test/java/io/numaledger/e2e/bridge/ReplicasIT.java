package io.numaledger.e2e.bridge;

import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.churn.ChurnReport;
import io.numaledger.benchmarks.churn.ChurnRun;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.realapiserver.ChildProcess;
import io.numaledger.realapiserver.FreePort;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pods of {@link BaselineIT} with two replicas, of which one is replaced or killed all the time: no kubelet refuses a pod, every pod
 * runs or waits, and at the end the ledger equals the kubelets' state.
 */
class ReplicasIT {

    private static final int PERIOD_SECONDS = 8;

    @TempDir
    private Path directory;

    private final ScheduledExecutorService faults = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger replaced = new AtomicInteger();
    private final AtomicInteger killed = new AtomicInteger();
    private final List<Integer> ports = List.of(FreePort.next(), FreePort.next());
    private final List<AtomicReference<Optional<ChildProcess>>> replicas =
            List.of(new AtomicReference<>(Optional.empty()), new AtomicReference<>(Optional.empty()));

    @AfterEach
    void stop() throws InterruptedException {
        faults.shutdown();
        assertThat(faults.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        replicas.forEach(replica -> replica.get().ifPresent(ChildProcess::close));
    }

    @Test
    void noKubeletRefusesAPodWhileReplicasComeAndGo() throws Exception {
        ChurnMix mix = ChurnMix.baseline();
        BridgeCertificates certificates = BridgeCertificates.make(directory);
        int port = FreePort.next();
        String configuration = SchedulerConfig.text(
                "https://127.0.0.1:" + port,
                "default-scheduler",
                Optional.empty(),
                Optional.of(certificates.scheduler()),
                false);
        AtomicReference<Path> kubeconfig = new AtomicReference<>();
        try (ReplicaFront front = new ReplicaFront(port, ports);
                BridgedCluster cluster =
                        BridgedCluster.watching(RealKubernetes.binaries(), mix.nodes(), configuration, started -> {
                            Credentials credentials = ChartRights.credentials(started);
                            kubeconfig.set(credentials.bridge());
                            return credentials;
                        });
                ChurnRun churn = new ChurnRun(cluster.cluster(), mix)) {
            assertThat(front).isNotNull();
            start(0, kubeconfig.get(), certificates);
            start(1, kubeconfig.get(), certificates);
            var unused = faults.scheduleWithFixedDelay(
                    () -> fault(kubeconfig.get(), certificates), PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
            ChurnReport report = churn.run(cluster::fits);
            unused.cancel(false);

            System.out.printf("%s replaced=%d killed=%d%n", report.line("replicas"), replaced.get(), killed.get());
            assertThat(report.refused()).isEmpty();
            assertThat(report.ran() + report.waiting()).isEqualTo(mix.arrivals().size());
            assertThat(replaced.get()).isGreaterThan(3);
            assertThat(killed.get()).isGreaterThan(1);
            System.out.println(cluster.awaitStateEqualsKubelets().summary());
        }
    }

    private void start(int index, Path kubeconfig, BridgeCertificates certificates) {
        replicas.get(index)
                .set(Optional.of(BridgeProcess.replica(
                        "replica-%d-%d".formatted(index, replaced.get() + killed.get()),
                        ports.get(index),
                        kubeconfig,
                        directory,
                        certificates)));
    }

    /** Replaces the replicas in turn; each third one is killed. */
    private void fault(Path kubeconfig, BridgeCertificates certificates) {
        int count = replaced.get() + killed.get();
        int index = count % 2;
        ChildProcess process = replicas.get(index).get().orElseThrow();
        ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
        if (count % 3 == 2) {
            handle.destroyForcibly();
            killed.incrementAndGet();
        } else {
            handle.destroy();
            replaced.incrementAndGet();
        }
        handle.onExit().join();
        process.close();
        start(index, kubeconfig, certificates);
    }
}
