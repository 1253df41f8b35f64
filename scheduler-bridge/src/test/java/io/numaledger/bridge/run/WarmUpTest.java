package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.fastpath.ResourceIndex;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import static org.assertj.core.api.Assertions.assertThat;

class WarmUpTest {

    private final TestCluster cluster = new TestCluster();

    private int run(LongSupplier nanos) {
        Bridge.Settings settings = Bridge.Settings.plainHttp(new InetSocketAddress(0));
        try (KubernetesClient client = new KubernetesClientBuilder().build()) {
            PodEvents events = new PodEvents(
                    client,
                    task -> {
                        throw new AssertionError("an event is written");
                    },
                    InstantSource.system());
            return new WarmUp(cluster.state, new ResourceIndex(), settings, events, nanos).run();
        }
    }

    @Test
    void callsTheVerbsWithoutEffect() {
        cluster.apply(ClusterYaml.node("n"));
        long version = cluster.state.versions().last();

        assertThat(run(() -> 0)).isEqualTo(WarmUp.CALLS);

        assertThat(cluster.state.versions().last()).isEqualTo(version);
        assertThat(cluster.state.podCount()).isZero();
        assertThat(cluster.state.reservations()).isZero();
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
}
