package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupMembership;
import io.numaledger.evaluation.facts.TopologyAnnotations;
import io.numaledger.scheduling.gated.GroupWriter;
import io.numaledger.scheduling.group.TopologyPlace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the plans of gated groups to the API server. */
public final class ApiGroupWriter implements GroupWriter {

    private static final PatchContext REPLACED = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;
    private final ApiEvictor evictor;

    public ApiGroupWriter(KubernetesClient client) {
        this.client = client;
        this.evictor = new ApiEvictor(client);
    }

    @Override
    public void release(PodFacts pod, String node, Optional<TopologyPlace> place) throws IOException {
        try {
            PodResource resource = client.pods().inNamespace(pod.namespace()).withName(pod.name());
            Pod found = resource.get();
            if (found == null
                    || !pod.uid().equals(Optional.of(found.getMetadata().getUid()))) {
                throw new IOException("the pod is gone: pod=%s".formatted(pod.key()));
            }
            resource.patch(REPLACED, client.getKubernetesSerialization().asJson(patch(released(found, node, place))));
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot release a pod of a group: pod=%s node=%s: %s"
                            .formatted(pod.key(), node, Failures.reason(e)),
                    e);
        }
    }

    /** A patch for this pod only, and only as it is: not for a new one of its name. */
    private static Map<String, Object> patch(Pod pod) {
        return Map.of(
                "metadata",
                Map.of(
                        "uid", pod.getMetadata().getUid(),
                        "resourceVersion", pod.getMetadata().getResourceVersion(),
                        "annotations", pod.getMetadata().getAnnotations()),
                "spec",
                Map.of(
                        "schedulingGates", pod.getSpec().getSchedulingGates(),
                        "affinity", pod.getSpec().getAffinity()));
    }

    private static Pod released(Pod pod, String node, Optional<TopologyPlace> place) {
        PodSpec spec = pod.getSpec();
        spec.getSchedulingGates().removeIf(gate -> gate.getName().equals(PodGroupMembership.GATE));
        Affinity affinity = Optional.ofNullable(spec.getAffinity()).orElseGet(Affinity::new);
        NodeAffinity nodes = Optional.ofNullable(affinity.getNodeAffinity()).orElseGet(NodeAffinity::new);
        NodeSelector required = Optional.ofNullable(nodes.getRequiredDuringSchedulingIgnoredDuringExecution())
                .orElseGet(NodeSelector::new);
        if (required.getNodeSelectorTerms().isEmpty()) {
            required.setNodeSelectorTerms(new ArrayList<>(List.of(new NodeSelectorTerm())));
        }
        // Each of them alone admits a node.
        for (NodeSelectorTerm term : required.getNodeSelectorTerms()) {
            List<NodeSelectorRequirement> fields = new ArrayList<>(term.getMatchFields());
            fields.add(new NodeSelectorRequirement("metadata.name", "In", List.of(node)));
            term.setMatchFields(fields);
        }
        nodes.setRequiredDuringSchedulingIgnoredDuringExecution(required);
        affinity.setNodeAffinity(nodes);
        spec.setAffinity(affinity);
        HashMap<String, String> annotations = new HashMap<>(pod.getMetadata().getAnnotations());
        annotations.put(PodFacts.PLANNED_NODE, node);
        place.ifPresent(each -> {
            annotations.put(TopologyAnnotations.DOMAIN, each.domain());
            annotations.put(TopologyAnnotations.RANK, Integer.toString(each.rank()));
        });
        pod.getMetadata().setAnnotations(annotations);
        return pod;
    }

    @Override
    public void evict(PodFacts pod) throws IOException {
        if (evictor.controller(pod).isEmpty()) {
            throw new IOException(
                    "the pod has no controller that would make another one: pod=%s; delete it, and create it anew with the gate"
                            .formatted(pod.key()));
        }
        evictor.evict(pod);
    }

    @Override
    public void preempt(PodFacts victim) throws IOException {
        evictor.evict(victim);
    }
}
