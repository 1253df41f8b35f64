package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.simulator.container.ClusterContainers;
import io.numaledger.simulator.cri.ContainerExitPolicy;
import io.numaledger.simulator.cri.NodeImages;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What the nodes of a cluster have in common.
 *
 * @param kubeconfig of the kubelets
 * @param client of DRA drivers
 * @param images what the nodes have beside the images whose containers run
 * @param containers empty if no container runs
 * @param certificates empty if kubelets answer everybody
 * @param cgroups of the kubelets
 */
record NodeAccess(
        KubeBinaries binaries,
        Path kubeconfig,
        KubernetesClient client,
        ContainerExitPolicy exits,
        NodeImages images,
        Optional<ClusterContainers> containers,
        Optional<ClusterCertificates> certificates,
        ClusterCgroups cgroups) {}
