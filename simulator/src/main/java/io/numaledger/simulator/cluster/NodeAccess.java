package io.numaledger.simulator.cluster;

import io.numaledger.simulator.container.ClusterContainers;
import io.numaledger.simulator.cri.ContainerExitPolicy;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What the nodes of a cluster have in common.
 *
 * @param kubeconfig of the kubelets
 * @param containers empty if no container runs
 * @param certificates empty if kubelets answer everybody
 */
record NodeAccess(
        KubeBinaries binaries,
        Path kubeconfig,
        ContainerExitPolicy exits,
        Optional<ClusterContainers> containers,
        Optional<ClusterCertificates> certificates) {}
