package io.numaledger.benchmarks.trace;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.PodRecords;
import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.placement.PodAllocation;
import io.numaledger.simulator.fleet.ModelAgent;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.node.NodeObject;
import io.numaledger.simulator.node.PodLifecycle;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A node of the trace on an API server. It writes there what its kubelet and its agent would write. */
final class PublishedNode {

    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;
    private final ModelNode node;
    private final ModelAgent agent;
    private final List<PodAllocation> held = new ArrayList<>();

    /** Creates the Node and the NodeResourceTopology. */
    PublishedNode(KubernetesClient client, NodeSpec spec, ModelNode node) {
        this.client = client;
        this.node = node;
        this.agent = new ModelAgent(spec.name(), node.type().kubelet());
        client.resource(new NodeBuilder(NodeObject.of(spec))
                        .withStatus(NodeObject.status(spec, now()))
                        .build())
                .create();
        client.resource(agent.topology(held)).create();
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    ModelNode node() {
        return node;
    }

    /** The kubelet has decided on a pod. */
    void decided(Pod object, Admission admission) {
        client.pods()
                .resource(object)
                .subresource("status")
                .patch(MERGE, PodLifecycle.withStatus(object, admission, now()));
        if (admission instanceof Admitted admitted) {
            publish(object, ModelAgent.held("default", object.getMetadata().getName(), admitted));
        }
    }

    /** A pod that ran has succeeded. */
    void ended(Pod object) {
        client.pods().resource(object).subresource("status").patch(MERGE, "{\"status\":{\"phase\":\"Succeeded\"}}");
        held.removeIf(each -> each.name().equals(object.getMetadata().getName()));
        publishTopology();
    }

    private void publish(Pod object, PodAllocation pod) {
        held.add(pod);
        client.pods()
                .resource(object)
                .patch(
                        MERGE,
                        new PodBuilder()
                                .withNewMetadata()
                                .withAnnotations(annotations(agent.records(pod)))
                                .endMetadata()
                                .build());
        publishTopology();
    }

    private void publishTopology() {
        String topology = agent.topology(held);
        client.resource(topology).patch(MERGE, topology);
    }

    private static Map<String, String> annotations(PodRecords records) {
        Map<String, String> annotations = new TreeMap<>();
        records.observed().ifPresent(text -> annotations.put(Annotations.OBSERVED, text));
        records.placement().ifPresent(text -> annotations.put(Annotations.PLACEMENT, text));
        return annotations;
    }
}
