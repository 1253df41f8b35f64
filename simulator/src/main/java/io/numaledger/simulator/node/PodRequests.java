package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.pod.PodRequest;

/** The requests of Pod objects, as the bridge reads them. */
public final class PodRequests {

    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    private PodRequests() {}

    /** All that the bridge reads. */
    public static PodFacts facts(Pod pod) {
        return new ObjectReader().pod(SERIALIZATION.convertValue(pod, PodObject.class));
    }

    /** Named by the pod's UID. */
    public static PodRequest of(Pod pod) {
        PodRequest request = facts(pod).request();
        return new PodRequest(
                pod.getMetadata().getUid(),
                request.qosClass(),
                request.podLevel(),
                request.initContainers(),
                request.containers());
    }
}
