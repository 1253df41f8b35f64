package io.numaledger.benchmarks.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;

/** The bridge's cluster state in this process, filled with generated nodes and their pods, without an API server. */
public final class GeneratedCluster {

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();

    private final ObjectReader reader = new ObjectReader();
    private final ResourceIndex index = new ResourceIndex();
    private final ClusterState state = new ClusterState(
            SnapshotSettings.DEFAULT, new NodeClasses(index), (pod, reservation) -> {}, InstantSource.system());

    public ClusterState state() {
        return state;
    }

    /** That of the nodes. */
    public ResourceIndex index() {
        return index;
    }

    /** Adds a node with its pods. */
    public void add(FleetNode added, Map<String, String> labels) throws IOException {
        Node node = TYPED.unmarshal(added.node(), Node.class);
        node.getMetadata().getLabels().putAll(labels);
        state.nodeChanged(reader.node(node));
        state.topologyChanged(NodeTopologyJson.read(added.topology()), Instant.now());
        for (FleetPod pod : added.pods()) {
            state.podChanged(running(pod));
        }
    }

    public PodFacts running(FleetPod pod) throws JsonProcessingException {
        return pod(pod.running(1));
    }

    /** @param json a Pod */
    public PodFacts pod(String json) throws JsonProcessingException {
        return reader.pod(TYPED.unmarshal(json, PodObject.class));
    }
}
