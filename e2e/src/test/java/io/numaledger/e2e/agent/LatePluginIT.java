package io.numaledger.e2e.agent;

import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.e2e.support.RunningAgent;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.deviceplugin.DevicePlugin;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.oracle.PublishedComparison;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A device plugin that comes late, is replaced, or goes: the agent does not wait for its next poll. */
class LatePluginIT {

    private static final String RESOURCE = "example.com/nic";

    private static SimCluster cluster;
    private static ChartAccounts accounts;
    private static PublishedComparison published;

    @BeforeAll
    static void startCluster() {
        cluster = RealKubernetes.cluster("""
                nodes:
                - name: one
                  numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
                """);
        accounts = ChartRights.install(cluster);
        published = new PublishedComparison(cluster);
    }

    @AfterAll
    static void stopCluster() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** The kubelet writes the Node's status every ten seconds. */
    @Test
    void theNodeTellsOfIt() {
        followsAPluginThatComesIsReplacedAndGoes(Duration.ofSeconds(25));
    }

    @Test
    void theDirectoryTellsOfItSooner() {
        followsAPluginThatComesIsReplacedAndGoes(
                Duration.ofSeconds(15), "--device-plugins-dir=" + directory(cluster.node("one")));
    }

    private static void followsAPluginThatComesIsReplacedAndGoes(Duration within, String... more) {
        SimNode node = cluster.node("one");
        String[] flags = Arrays.copyOf(more, more.length + 2);
        flags[more.length] = "--device-interval=1h";
        flags[more.length + 1] = "--resync-interval=1h";
        try (RunningAgent agent = RunningAgent.start(node, accounts.agent(node.name()), flags)) {
            awaitZones(Duration.ofMinutes(1), 0, 0);
            try (DevicePlugin first = plugin(node, 3, 0)) {
                awaitZones(within, 3, 0);
            }
            try (DevicePlugin second = plugin(node, 2, 1)) {
                awaitZones(within, 0, 2);
            }
            awaitZones(within, 0, 0);
        }
    }

    private static DevicePlugin plugin(SimNode node, int devices, int numaNode) {
        List<DeviceAllocation> all = IntStream.range(0, devices)
                .mapToObj(i -> new DeviceAllocation(RESOURCE, "nic-" + numaNode + i, List.of(numaNode)))
                .toList();
        return DevicePlugin.start(new DevicePluginSpec(RESOURCE, all, false), directory(node));
    }

    private static Path directory(SimNode node) {
        return node.kubeletRoot().resolve("device-plugins");
    }

    private static void awaitZones(Duration within, long... devices) {
        await().atMost(within)
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(published
                                .published("one")
                                .map(topology -> topology.numaZones().values().stream()
                                        .mapToLong(zone ->
                                                allocatable(zone.resources().get(RESOURCE)))
                                        .toArray())
                                .orElse(new long[0]))
                        .as(
                                "devices by zone; by the Node %s",
                                cluster.client()
                                        .nodes()
                                        .withName("one")
                                        .get()
                                        .getStatus()
                                        .getAllocatable()
                                        .get(RESOURCE))
                        .containsExactly(devices));
    }

    private static long allocatable(@Nullable ZoneResource resource) {
        return resource == null ? 0 : resource.allocatable();
    }
}
