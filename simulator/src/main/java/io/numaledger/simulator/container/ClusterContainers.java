package io.numaledger.simulator.container;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.simulator.cri.PodProcesses;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** The images of a cluster whose containers run, and the network that connects them. */
public final class ClusterContainers implements AutoCloseable {

    private final LoadedImages images;
    private final PodNetwork network;
    private final ServiceProxy services;

    private ClusterContainers(LoadedImages images, PodNetwork network, ServiceProxy services) {
        this.images = images;
        this.network = network;
        this.services = services;
    }

    /** @param network is closed with this */
    public static ClusterContainers start(
            List<ContainerImage> images, PodNetwork network, KubernetesClient client, URI apiServer) {
        return new ClusterContainers(new LoadedImages(images), network, ServiceProxy.start(client, network, apiServer));
    }

    /**
     * What runs on one node.
     *
     * @param directory of the node's containers; an empty one
     * @param kubelet the process id of the kubelet, whose files the containers see
     */
    public PodProcesses onNode(Path directory, Supplier<Long> kubelet) {
        return new NodeContainers(images, network, services::hosts, directory, kubelet);
    }

    /** The address at which pods reach kubelets. */
    public String nodeAddress() {
        return network.gateway();
    }

    @Override
    public void close() {
        services.close();
        network.close();
    }
}
