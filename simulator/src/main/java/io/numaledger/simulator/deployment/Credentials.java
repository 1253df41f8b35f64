package io.numaledger.simulator.deployment;

import io.numaledger.simulator.cluster.SimCluster;

import java.nio.file.Path;
import java.util.function.Function;

/**
 * The kubeconfigs of our programs on one cluster.
 *
 * @param agents node name → kubeconfig of its agent
 */
public record Credentials(Function<String, Path> agents, Path bridge) {

    /** All rights, for a cluster that nobody else uses. */
    public static Credentials ofAdministrator(SimCluster cluster) {
        return new Credentials(node -> cluster.kubeconfig(), cluster.kubeconfig());
    }
}
