package io.numaledger.bridge.run;

import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import static org.assertj.core.api.Assertions.assertThat;

class WarmUpTest {

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void captureLog() {
        System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void endCapture() {
        System.setErr(before);
    }

    private int run(LongSupplier nanos) {
        return new WarmUp(cluster.state, new ResourceIndex(), BridgeOptions.plainHttp(0), nanos).run();
    }

    @Test
    void callsTheVerbsWithoutEffect() {
        cluster.apply(ClusterYaml.node("n"));
        long version = cluster.state.versions().last();

        assertThat(run(() -> 0)).isEqualTo(WarmUp.CALLS);

        assertThat(cluster.state.versions().last()).isEqualTo(version);
        assertThat(cluster.state.pods().count()).isZero();
        assertThat(cluster.state.reservations()).isZero();
        assertThat(logged.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void endsInTime() {
        cluster.apply(ClusterYaml.node("n"));
        AtomicLong now = new AtomicLong();

        assertThat(run(() -> now.getAndAdd(WarmUp.TIMEOUT.toNanos() / 4))).isEqualTo(3);
    }

    @Test
    void doesNothingWithoutNodes() {
        assertThat(run(() -> 0)).isZero();
    }

    @Test
    void doesNothingWithoutZones() {
        cluster.apply("---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\n");

        assertThat(run(() -> 0)).isZero();
    }

    @Test
    void endsAtAFailedCall() {
        cluster.apply(ClusterYaml.node("'no-json-\"'"));

        assertThat(run(() -> 0)).isEqualTo(1);

        assertThat(logged.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("event=")
                .contains(" level=WARN event=bridge.warm_up_failed\n\t");
    }
}
