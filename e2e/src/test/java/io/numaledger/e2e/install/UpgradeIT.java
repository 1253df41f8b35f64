package io.numaledger.e2e.install;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.container.ContainerImage;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An upgrade of the chart and the way back, by the commands of docs/install.md, while pods arrive all the time: real kubelets and
 * controllers. The leading bridge is killed in the upgrade, before it can give its lease away.
 */
class UpgradeIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final List<String> STAYING = List.of("stays-1", "stays-2");
    private static final ProgramVersion BUILD = new ProgramVersion();

    /** The leader's name is not that of its pod here, but its pod has logged it. */
    private static final String KILL_LEADER = """
            holder=$(kubectl -n numaledger get lease numaledger-bridge --output jsonpath='{.spec.holderIdentity}')
            for pod in $(kubectl -n numaledger get pods --selector app.kubernetes.io/component=bridge --output name); do
              log=$(kubectl -n numaledger logs "$pod" || true)
              [[ $log != *"event=leader.elected"*"identity=$holder"* ]] || kubectl -n numaledger delete "$pod" --grace-period=0 --force
            done
            """;

    @TempDir
    private Path home;

    private SimCluster cluster;
    private UserShell shell;
    private ClusterPods pods;

    /** The same programs: what Kubernetes and the chart do is tested also where no earlier build is at hand. */
    @Test
    void thisBuildIsReplacedByItselfUnderAnotherVersion() throws IOException, InterruptedException {
        upgradesAndGoesBack(ProgramRelease.ofThisBuild("0.1.0-before"));
    }

    @Test
    void anEarlierBuildIsReplacedAndComesBack() throws IOException, InterruptedException {
        upgradesAndGoesBack(ProgramRelease.earlier());
    }

    private void upgradesAndGoesBack(ProgramRelease before) throws IOException, InterruptedException {
        ProgramRelease after = ProgramRelease.ofThisBuild("0.1.0-g" + BUILD.commit());
        List<ContainerImage> images = Stream.of(before, after)
                .flatMap(release -> release.images().stream())
                .toList();
        try (SimCluster started = ProgramImages.cluster(images)) {
            cluster = started;
            shell = new UserShell(cluster, home);
            pods = new ClusterPods(cluster);
            shell.run(commands("3. Install the chart", before));
            shell.run(UserShell.documented("Mode `scheduler`"));
            runs(before);
            STAYING.forEach(name -> pods.create(
                    SimplePod.named(name).with("main", "cpu=2", "memory=1Gi").scheduledBy("numaledger")));
            STAYING.forEach(this::awaitObserved);
            try (ArrivingPods arriving = new ArrivingPods(pods, STAYING)) {
                String[] upgrade = commands("Upgrade", after).split("\n(?=kubectl)", 2);
                shell.run(upgrade[0]);
                assertThat(shell.run(KILL_LEADER)).contains("force deleted");
                shell.run(upgrade[1]);
                runs(after);
                saysWhatItIs();
                morePodsRun(arriving);
                shell.run(UserShell.documented("Go back"));
                runs(before);
                morePodsRun(arriving);
            }
            pods.awaitAllDecided();
            // A kubelet gives a reason for a pod that it refuses, and none for a program that has ended.
            assertThat(cluster.journal().entries())
                    .extracting(JournalEntry::verdict)
                    .as("pods that a kubelet refused")
                    .noneMatch(verdict -> verdict.phase().equals("Failed")
                            && !verdict.reason().isEmpty());
            assertThat(shell.run("kubectl get numanodes"))
                    .containsPattern("a +Ready +single-numa-node")
                    .containsPattern("b +Ready +single-numa-node");
        }
    }

    private String commands(String heading, ProgramRelease release) throws IOException, InterruptedException {
        return UserShell.documented(heading)
                .replace("charts/numaledger", release.packed(shell, home).toString());
    }

    private void awaitObserved(String pod) {
        await("pod %s is observed".formatted(pod))
                .atMost(TIMEOUT)
                .until(() -> Optional.ofNullable(pods.get(pod).getMetadata().getAnnotations())
                        .filter(all -> all.containsKey(Annotations.OBSERVED))
                        .isPresent());
    }

    /** All pods of both programs have the images of this release, and Helm says so. */
    private void runs(ProgramRelease release) throws IOException, InterruptedException {
        await("both programs are those of " + release.version())
                .atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(programs())
                        .hasSizeGreaterThanOrEqualTo(4)
                        .allMatch(pod ->
                                pod.getSpec().getContainers().get(0).getImage().endsWith(":" + release.version())));
        assertThat(shell.run("helm list --namespace numaledger"))
                .containsPattern("numaledger-%1$s\\s+%1$s".formatted(release.version()));
    }

    private List<Pod> programs() {
        return cluster
                .client()
                .pods()
                .inNamespace("numaledger")
                .withLabelIn("app.kubernetes.io/component", "agent", "bridge")
                .list()
                .getItems()
                .stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    /** Both programs of this build say their version and commit in the log and in a metric. */
    private void saysWhatItIs() throws IOException, InterruptedException {
        for (Pod pod : programs()) {
            String program = pod.getMetadata().getLabels().get("app.kubernetes.io/component");
            String name = pod.getMetadata().getName();
            assertThat(shell.run("kubectl -n numaledger logs " + name))
                    .contains("event=%s.started version=%s commit=%s "
                            .formatted(program, BUILD.version(), BUILD.commit()));
            assertThat(shell.run("kubectl get --raw /api/v1/namespaces/numaledger/pods/%s:%d/proxy/metrics"
                            .formatted(name, program.equals("agent") ? 9464 : 9444)))
                    .contains("numaledger_%s_build_info{commit=\"%s\",version=\"%s\"} 1"
                            .formatted(program, BUILD.commit(), BUILD.version()));
        }
    }

    private static void morePodsRun(ArrivingPods arriving) {
        int before = arriving.ran();
        await("pods are placed").atMost(TIMEOUT).until(() -> arriving.ran() > before + 4);
    }
}
