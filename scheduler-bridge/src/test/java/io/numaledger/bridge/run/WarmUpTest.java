package io.numaledger.bridge.run;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.fastpath.ResourceIndex;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class WarmUpTest {

    private final Logger bridge = (Logger) LoggerFactory.getLogger("io.numaledger.bridge");
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void captureLog() {
        logged.start();
        bridge.addAppender(logged);
        bridge.setLevel(Level.DEBUG);
    }

    @AfterEach
    void endCapture() {
        bridge.detachAppender(logged);
        bridge.setLevel(null);
    }

    private int run(LongSupplier nanos) {
        Bridge.Settings settings = Bridge.Settings.plainHttp(new InetSocketAddress(0));
        return new WarmUp(cluster.state, new ResourceIndex(), settings, nanos).run();
    }

    @Test
    void callsTheVerbsWithoutEffect() {
        cluster.apply(ClusterYaml.node("n"));
        long version = cluster.state.versions().last();

        assertThat(run(() -> 0)).isEqualTo(WarmUp.CALLS);

        assertThat(cluster.state.versions().last()).isEqualTo(version);
        assertThat(cluster.state.podCount()).isZero();
        assertThat(cluster.state.reservations()).isZero();
        assertThat(logged.list).isEmpty();
    }

    @Test
    void endsInTime() {
        cluster.apply(ClusterYaml.node("n"));
        AtomicLong now = new AtomicLong();

        assertThat(run(() -> now.getAndAdd(WarmUp.LONGEST.toNanos() / 4))).isEqualTo(3);
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

        assertThat(logged.list)
                .extracting(ILoggingEvent::getLevel, ILoggingEvent::getMessage)
                .containsExactly(tuple(Level.WARN, "event=bridge.warm_up_failed"));
    }
}
