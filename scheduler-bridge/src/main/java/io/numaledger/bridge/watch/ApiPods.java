package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;

/** Reads single pods with what they demand of their node, which the watch does not keep of running pods. */
public final class ApiPods {

    private static final Logger log = LoggerFactory.getLogger(ApiPods.class);

    private final KubernetesClient client;

    public ApiPods(KubernetesClient client) {
        this.client = client;
    }

    /** The pod as the API server has it; absent: it is gone, or the API server gives no answer. */
    public Optional<PodFacts> read(PodFacts pod) {
        try {
            return Optional.ofNullable(client.resources(PodObject.class)
                            .inNamespace(pod.namespace())
                            .withName(pod.name())
                            .get())
                    .map(ObjectReader.keepingConstraints()::pod)
                    .filter(pod::isSameAs);
        } catch (KubernetesClientException e) {
            log.warn("event=pod.unread pod={} error=\"{}\"", pod.key(), Failures.reason(e));
            return Optional.empty();
        }
    }
}
