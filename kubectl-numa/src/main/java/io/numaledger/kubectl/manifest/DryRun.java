package io.numaledger.kubectl.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.client.ExistingNames;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.KubectlException;
import io.numaledger.objects.PodManifest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Has the API server admit pods without storing them, so that defaults, LimitRanges, quotas, RuntimeClasses, priorities and webhooks
 * count. The pod of a workload is sent as a Pod. Where the user, or the cluster, cannot do this, pods stay as they were written.
 */
public final class DryRun implements Admission {

    private static final String PODS = "/api/v1/namespaces/%s/pods?dryRun=All&fieldValidation=Strict";

    private static final String CLAIM_TEMPLATE = "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaimtemplates/%s";

    /** How the API server begins: with the pod's generated name, which tells nothing. */
    private static final Pattern SUBJECT = Pattern.compile(
            "^(?:[Pp]ods? \"[^\"]*\" is (?:invalid|forbidden)|Pod in version \"v1\" cannot be handled as a Pod|strict decoding error): ");

    private final Kubectl kubectl;
    private final Consumer<String> notes;

    /** @param notes what the user has to know, a line each */
    public DryRun(Kubectl kubectl, Consumer<String> notes) {
        this.kubectl = kubectl;
        this.notes = notes;
    }

    @Override
    public PodManifest admit(DescribedPod described) throws IOException {
        DescribedPod pod = withClaimTemplates(described);
        JsonNode answer;
        try {
            answer = kubectl.create(PODS.formatted(pod.namespace()), pod.request());
        } catch (KubectlException e) {
            if (isImpossible(e)) {
                PodManifest written = pod.checked();
                notes.accept("pod=%s: explained as it is written, without what the cluster adds to it: %s"
                        .formatted(written.pod().key(), e.text()));
                return written;
            }
            throw refusal(pod, e);
        }
        return pod.admitted(answer);
    }

    /** Adds the claim templates that the pod names. Templates that cannot be read are named, and the pod is explained without them. */
    private DescribedPod withClaimTemplates(DescribedPod pod) throws IOException {
        List<JsonNode> all = new ArrayList<>(pod.claimTemplates());
        for (String name : pod.otherClaimTemplates()) {
            try {
                all.add(kubectl.get(CLAIM_TEMPLATE.formatted(pod.namespace(), name)));
            } catch (KubectlException e) {
                notes.accept("pod=%s/%s: explained without the claim of the ResourceClaimTemplate %s: %s"
                        .formatted(pod.namespace(), pod.name(), name, e.text()));
            }
        }
        return pod.beside(all);
    }

    /** Whether the error says nothing about the pod: the user may not create pods, a webhook has no dry run, or the service account is to come. */
    private static boolean isImpossible(KubectlException e) {
        return e.text().contains("cannot create resource \"pods\"")
                || e.text().contains("does not support dry run")
                || e.text().contains("error looking up service account");
    }

    private IOException refusal(DescribedPod pod, KubectlException e) throws IOException {
        if (e.text().equals("namespaces \"%s\" not found".formatted(pod.namespace()))) {
            return new ExistingNames(kubectl).unknownNamespace(pod.namespace());
        }
        if (e.text().contains("unknown field")) {
            pod.checked(); // says which field it could be
        }
        String why = e.text();
        for (String last = ""; !last.equals(why); ) {
            last = why;
            why = SUBJECT.matcher(why).replaceFirst("");
        }
        return e.reason() == KubectlException.Reason.OTHER && why.equals(e.text()) ? e : pod.refused(why);
    }
}
