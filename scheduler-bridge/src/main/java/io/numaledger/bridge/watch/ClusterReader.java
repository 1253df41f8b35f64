package io.numaledger.bridge.watch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.bridge.objects.ClusterObjects;
import io.numaledger.bridge.objects.NodeFacts;
import io.numaledger.bridge.objects.ObjectReader;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodObject;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads a cluster's objects once. */
public final class ClusterReader {

    static final ResourceDefinitionContext TOPOLOGIES = new ResourceDefinitionContext.Builder()
            .withGroup("topology.node.k8s.io")
            .withVersion("v1alpha2")
            .withKind(NodeTopology.KIND)
            .withPlural("noderesourcetopologies")
            .withNamespaced(false)
            .build();
    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    private ClusterReader() {}

    /** @param kubeconfig absent: as kubectl finds it, or the service account of the pod */
    public static KubernetesClient client(Optional<Path> kubeconfig) {
        Config config =
                kubeconfig.isPresent() ? Config.fromKubeconfig(kubeconfig.get().toFile()) : Config.autoConfigure(null);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** @throws IOException naming the cluster, if it cannot be read */
    public static ClusterObjects read(KubernetesClient client) throws IOException {
        ObjectReader reader = new ObjectReader();
        try {
            SortedMap<String, NodeFacts> nodes = new TreeMap<>();
            for (Node node : client.nodes().list().getItems()) {
                nodes.put(node.getMetadata().getName(), reader.node(node));
            }
            SortedMap<String, NodeTopology> topologies = new TreeMap<>();
            for (GenericKubernetesResource topology :
                    client.genericKubernetesResources(TOPOLOGIES).list().getItems()) {
                topologies.put(topology.getMetadata().getName(), topology(topology));
            }
            List<PodFacts> pods = client.resources(PodObject.class).inAnyNamespace().list().getItems().stream()
                    .map((PodObject pod) -> reader.pod(pod))
                    .toList();
            return new ClusterObjects(nodes, topologies, pods);
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot read the cluster: url=%s: %s; check --kubeconfig, and the right to list nodes, pods and noderesourcetopologies"
                            .formatted(client.getMasterUrl(), e.getMessage()),
                    e);
        }
    }

    static NodeTopology topology(GenericKubernetesResource object) throws IOException {
        try (JsonParser tree = TYPED.convertValue(object, JsonNode.class).traverse()) {
            tree.nextToken();
            return NodeTopologyJson.read(tree).topology();
        }
    }
}
