package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.e2e.support.Signal;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** After the API server was away for 20 seconds, agent and bridge go on within seconds; others may need longer. */
class ApiOutageIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** The back-off of agent and bridge is below five seconds; a busy machine adds to it. */
    private static final Duration OURS = Duration.ofSeconds(8);

    /** How the API server is away. */
    private enum Outage {
        /** Connections are refused. */
        STOPPED,
        /** Connections stay open, and nothing is answered. */
        SILENT
    }

    @ParameterizedTest
    @EnumSource
    void agentAndBridgeGoOnWithinSeconds(Outage outage) throws Exception {
        try (BridgedCluster bridged = BridgedCluster.start(RealKubernetes.binaries(), """
                nodes:
                - name: n
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes:
                  - {id: 0, cores: 9, memory: 16Gi}
                  - {id: 1, cores: 8, memory: 16Gi}
                """, ChartRights::credentials)) {
            bridged.cluster().client().resource(pod("before").on("n").build()).create();
            await().atMost(TIMEOUT).until(() -> isObserved(bridged, "before"));

            suspend(bridged, outage);

            long back = System.nanoTime();
            bridged.cluster()
                    .client()
                    .resource(pod("seen").scheduledBy("nobody").build())
                    .create();
            forget(bridged, "before");
            bridged.cluster().client().resource(pod("after").build()).create();
            Duration bridge = since(
                    back, () -> bridged.bridge().cluster().pod("default/seen").isPresent());
            Duration agent = since(back, () -> isObserved(bridged, "before"));
            Duration bound = since(back, () -> read(bridged, "after").getSpec().getNodeName() != null);
            Duration running = since(
                    back, () -> read(bridged, "after").getStatus().getPhase().equals("Running"));
            System.out.printf(
                    "measured: API server %s for 20 s, then until bridge_ms=%d agent_ms=%d bound_ms=%d running_ms=%d%n",
                    outage, bridge.toMillis(), agent.toMillis(), bound.toMillis(), running.toMillis());

            assertThat(bridge).isLessThan(OURS);
            assertThat(agent).isLessThan(OURS);
        }
    }

    private static SimplePod pod(String name) {
        return SimplePod.named(name).with("c", "cpu=2", "memory=1Gi");
    }

    private static void suspend(BridgedCluster bridged, Outage outage) throws InterruptedException {
        switch (outage) {
            case STOPPED -> {
                bridged.cluster().apiServer().stopServer();
                TimeUnit.SECONDS.sleep(20);
                bridged.cluster().apiServer().startServer();
            }
            case SILENT -> {
                Signal.suspend(bridged.cluster().apiServer().pid());
                TimeUnit.SECONDS.sleep(20);
                Signal.resume(bridged.cluster().apiServer().pid());
            }
        }
    }

    private static Duration since(long begin, Callable<Boolean> condition) {
        await().atMost(TIMEOUT).pollInterval(Duration.ofMillis(50)).until(condition);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static Pod read(BridgedCluster bridged, String name) {
        return bridged.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .withName(name)
                .get();
    }

    private static boolean isObserved(BridgedCluster bridged, String name) {
        return read(bridged, name).getMetadata().getAnnotations() != null
                && read(bridged, name).getMetadata().getAnnotations().containsKey(Annotations.PLACEMENT);
    }

    /** The agent has to write it again. Unconditional, because the kubelet may write the pod at the same time. */
    private static void forget(BridgedCluster bridged, String name) {
        bridged.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .withName(name)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"%s\":null}}}".formatted(Annotations.PLACEMENT));
    }
}
