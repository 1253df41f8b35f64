package io.numaledger.benchmarks.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimClusterBuilder;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.workload.NodeResourcesFit;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A cluster of real kubelets, with kube-scheduler alone or with a bridge.
 *
 * @param bridged the same cluster; empty: kube-scheduler alone
 */
public record ScheduledCluster(SimCluster cluster, Optional<BridgedCluster> bridged) implements AutoCloseable {

    /** Which scheduler binds the pods, as a value of {@code --runs}. */
    public enum Scheduler {
        ALONE,
        BRIDGED;

        /** As it is printed. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @param bridgeFlags beside the defaults */
    public static ScheduledCluster start(Scheduler scheduler, List<NodeSpec> nodes, String... bridgeFlags) {
        SimClusterBuilder builder = SimCluster.builder(KubeBinaries.required()).nodes(nodes);
        if (scheduler == Scheduler.ALONE) {
            return new ScheduledCluster(builder.start(), Optional.empty());
        }
        BridgedCluster bridged = BridgedCluster.start(builder, Credentials::ofAdministrator, bridgeFlags);
        return new ScheduledCluster(bridged.cluster(), Optional.of(bridged));
    }

    /** As it is printed. */
    public String scheduler() {
        return (bridged.isPresent() ? Scheduler.BRIDGED : Scheduler.ALONE).label();
    }

    /** Says whether a pod without a node could run now: by the node-level requests, and with a bridge also by zones. */
    public Predicate<Pod> fits() {
        return bridged.map(BridgedCluster::fits).orElseGet(() -> NodeResourcesFit.read(cluster.client())::fits);
    }

    /** The line, with the counters of the bridge at its end. */
    public String withCounters(String line) {
        return line + bridged.map(bridge -> " " + bridge.figures()).orElse("");
    }

    /** Waits until the bridge's state equals the kubelets' state files, and says what was compared. Empty without a bridge. */
    public Optional<String> comparison() {
        return bridged.map(bridge -> bridge.awaitStateEqualsKubelets().summary());
    }

    @Override
    public void close() {
        bridged.ifPresentOrElse(BridgedCluster::close, cluster::close);
    }
}
