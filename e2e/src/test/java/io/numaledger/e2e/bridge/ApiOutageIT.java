package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.Signal;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** After the API server was away for 20 seconds, agent and bridge go on within seconds; others may need longer. */
class ApiOutageIT {

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start(BridgedNodes.yaml("n"), List.of()));

    private final ClusterPods pods = nodes.pods();

    /** The back-off of agent and bridge is below five seconds; a busy machine adds to it. Others wait for up to a minute. */
    private static final Duration OURS = Duration.ofSeconds(20);

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
        nodes.create(SimplePod.named("before").on("n"), 2);
        since(0, () -> isObserved("before"));

        suspend(nodes.cluster().cluster().apiServer(), outage);

        long back = System.nanoTime();
        nodes.create(SimplePod.named("seen").scheduledBy("nobody"), 2);
        forget("before");
        nodes.create(SimplePod.named("after"), 2);
        Duration bridge = since(
                back, () -> nodes.bridge().cluster().pods().get("default/seen").isPresent());
        Duration agent = since(back, () -> isObserved("before"));
        Duration bound = since(back, () -> pods.get("after").getSpec().getNodeName() != null);
        Duration running = since(back, () -> pods.isRunning("after"));
        System.out.printf(
                "measured: API server %s for 20 s, then until bridge_ms=%d agent_ms=%d bound_ms=%d running_ms=%d%n",
                outage, bridge.toMillis(), agent.toMillis(), bound.toMillis(), running.toMillis());

        assertThat(bridge).isLessThan(OURS);
        assertThat(agent).isLessThan(OURS);
    }

    private static void suspend(RealApiServer server, Outage outage) throws InterruptedException {
        switch (outage) {
            case STOPPED -> {
                server.stopServer();
                TimeUnit.SECONDS.sleep(20);
                server.startServer();
            }
            case SILENT -> {
                Signal.suspend(server.pid());
                TimeUnit.SECONDS.sleep(20);
                Signal.resume(server.pid());
            }
        }
    }

    private static Duration since(long begin, Callable<Boolean> condition) {
        await().atMost(BridgedNodes.TIMEOUT).pollInterval(Duration.ofMillis(50)).until(condition);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private boolean isObserved(String name) {
        Map<String, String> annotations = pods.get(name).getMetadata().getAnnotations();
        return annotations != null && annotations.containsKey(Annotations.PLACEMENT);
    }

    /** The agent has to write it again. Unconditional, because the kubelet may write the pod at the same time. */
    private void forget(String name) {
        nodes.client()
                .pods()
                .inNamespace("default")
                .withName(name)
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"%s\":null}}}".formatted(Annotations.PLACEMENT));
    }
}
