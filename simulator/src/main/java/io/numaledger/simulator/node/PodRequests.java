package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import io.numaledger.pod.PodRequest;

/** The requests of Pod objects, as the bridge reads them. */
public final class PodRequests {

    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    private PodRequests() {}

    /** Named by the pod's UID. */
    public static PodRequest of(Pod pod) {
        PodRequest request = new ObjectReader()
                .pod(SERIALIZATION.convertValue(pod, PodObject.class))
                .request();
        return new PodRequest(
                pod.getMetadata().getUid(),
                request.qosClass(),
                request.podLevel(),
                request.initContainers(),
                request.containers());
    }
}
