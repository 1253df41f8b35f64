package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Nodes that change while pods wait: a device plugin comes late, a kubelet restarts under load. No kubelet refuses a pod. */
class ChangingNodesIT {

    private static final String NIC = "example.com/nic";

    /** The agent asks the kubelet for its devices at least as often. */
    private static final Duration NEXT_LOOK = Duration.ofSeconds(30);

    /** What kube-scheduler and the bridge need to try a pod again, on a loaded machine. */
    private static final Duration RETRY = Duration.ofSeconds(15);

    private static final Duration AWAY = Duration.ofSeconds(5);
    private static final Duration STEP = Duration.ofMillis(500);
    private static final Duration LOAD = Duration.ofSeconds(20);

    /** Pods of 5 CPUs that fit both nodes together. */
    private static final int ROOM = 4;

    @RegisterExtension
    static final BridgedNodes NODES =
            BridgedNodes.own(() -> BridgedNodes.start(BridgedNodes.yaml("a", "b"), List.of()));

    private long failedBefore;

    @BeforeEach
    void countFailed() {
        failedBefore = failed();
    }

    private static SimNode node(String name) {
        return NODES.cluster().cluster().node(name);
    }

    /** Pods that kubelets did not admit, those included that are gone. */
    private static long failed() {
        return NODES.cluster().cluster().journal().entries().stream()
                .map(JournalEntry::verdict)
                .filter(verdict -> verdict.phase().equals("Failed"))
                .count();
    }

    /** Devices of NUMA node 0 only, where one pod of 5 CPUs fits. */
    private static void addPlugin(String node) {
        List<DeviceAllocation> devices = List.of(
                new DeviceAllocation(NIC, "nic-0", new TreeSet<>(List.of(0))),
                new DeviceAllocation(NIC, "nic-1", new TreeSet<>(List.of(0))));
        node(node).addPlugin(new DevicePluginSpec(NIC, devices, false));
        NODES.cluster().cluster().awaitReady(node(node));
    }

    private static long running() {
        return NODES.running("");
    }

    @Test
    void podsThatWaitForALatePluginAreBoundByItsZones() {
        for (String pod : List.of("first", "second")) {
            NODES.pods().create(SimplePod.named(pod).with("c", "cpu=5", "memory=1Gi", NIC + "=1"));
        }

        addPlugin("a");
        Duration first = timeOf(() -> running() == 1);
        BridgedNodes.quiet(Duration.ofSeconds(5));
        assertThat(running()).as("CPUs of one zone are left for one pod").isEqualTo(1);
        addPlugin("b");
        Duration second = timeOf(() -> running() == 2);

        System.out.printf("late plugin: bound and running after %s and %s%n", first, second);
        assertThat(failed() - failedBefore).as("pods that kubelets refused").isZero();
        assertThat(List.of(first, second)).allMatch(time -> time.compareTo(NEXT_LOOK.plus(RETRY)) < 0);
        assertThat(NODES.nodesOf("")).containsExactlyInAnyOrder("a", "b");
    }

    private static Duration timeOf(BooleanSupplier condition) {
        Instant begun = Instant.now();
        await().atMost(BridgedNodes.TIMEOUT).until(condition::getAsBoolean);
        return Duration.between(begun, Instant.now());
    }

    /** Runs as many pods as fit, ends the oldest ones, and keeps others waiting. */
    private static final class Load {
        private int created;

        void step() {
            List<Pod> pods = NODES.pods().all();
            for (int missing = ROOM * 2 - pods.size(); missing > 0; missing--) {
                NODES.create(SimplePod.named("load-" + created++), 5);
            }
            pods.stream()
                    .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                    .min(Comparator.comparing(pod -> pod.getStatus().getStartTime()))
                    .ifPresent(
                            oldest -> NODES.pods().delete(oldest.getMetadata().getName()));
        }

        void during(Duration time) {
            Instant end = Instant.now().plus(time);
            await().pollInterval(STEP).atMost(time.plus(BridgedNodes.TIMEOUT)).until(() -> {
                step();
                return Instant.now().isAfter(end);
            });
        }

        /** When all that were created have run. */
        void end() {
            await("all pods have run").atMost(BridgedNodes.TIMEOUT).until(() -> {
                List<Pod> pods = NODES.pods().all();
                pods.stream()
                        .filter(pod -> !pod.getStatus().getPhase().equals("Pending"))
                        .forEach(pod -> NODES.pods().delete(pod.getMetadata().getName()));
                return pods.isEmpty();
            });
        }
    }

    /** A pod that is bound when its kubelet ends, and not admitted yet, is out of anybody's reach. */
    private static void awaitNoneInFlight(String node) {
        await("the kubelet has admitted its pods")
                .during(Duration.ofSeconds(2))
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> NODES.pods().all().stream()
                        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                        .allMatch(pod -> pod.getStatus().getPhase().equals("Running")));
    }

    private static Optional<Pod> newOn(String node, Instant since) {
        return NODES.pods().all().stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName())
                        && pod.getStatus().getPhase().equals("Running")
                        && Instant.parse(pod.getStatus().getStartTime()).isAfter(since))
                .findFirst();
    }

    @Test
    void aKubeletThatRestartsUnderLoadRefusesNobody() {
        Load load = new Load();
        load.during(LOAD);
        List<Duration> idle = new ArrayList<>();
        for (int restart = 0; restart < 2; restart++) {
            awaitNoneInFlight("a");
            node("a").stopKubelet();
            load.during(AWAY);
            Instant started = Instant.now();
            node("a").startKubelet();
            await("pods run on the node again")
                    .pollInterval(STEP)
                    .atMost(BridgedNodes.TIMEOUT)
                    .until(() -> {
                        load.step();
                        return newOn("a", started).isPresent();
                    });
            idle.add(Duration.between(started, Instant.now()));
            load.during(LOAD);
        }
        load.end();

        System.out.printf(
                "restarts under load: %d pods, %d refused, first pod after %s%n",
                load.created, failed() - failedBefore, idle);
        assertThat(failed() - failedBefore).as("pods that kubelets refused").isZero();
        assertThat(idle).allMatch(time -> time.compareTo(NEXT_LOOK.plus(RETRY)) < 0);
    }
}
