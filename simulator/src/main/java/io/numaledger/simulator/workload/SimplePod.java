package io.numaledger.simulator.workload;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceClaim;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A pod in the namespace default, described container by container. Requests equal limits unless a method says otherwise. */
public final class SimplePod {

    private final String name;
    private final List<Container> init = new ArrayList<>();
    private final List<Container> containers = new ArrayList<>();
    private @Nullable String node;
    private String scheduler = "default-scheduler";
    private String restartPolicy = "Always";
    private @Nullable String priorityClass;
    private String image = "example.com/app:1";
    private long gracePeriodSeconds;
    private @Nullable ResourceRequirements resources;
    private final Map<String, Object> more = new TreeMap<>();
    private final Map<String, String> labels = new TreeMap<>();
    private final Map<String, String> annotations = new TreeMap<>();
    private final List<String> gates = new ArrayList<>();
    private final List<PodResourceClaim> claims = new ArrayList<>();

    private SimplePod(String name) {
        this.name = name;
    }

    public static SimplePod named(String name) {
        return new SimplePod(name);
    }

    /** Binds the pod to a node, without the scheduler. */
    public SimplePod on(String nodeName) {
        node = nodeName;
        return this;
    }

    /** Sets the name of the scheduler. */
    public SimplePod scheduledBy(String schedulerName) {
        scheduler = schedulerName;
        return this;
    }

    /** Makes it a member of a PodGroup of {@code scheduling.k8s.io}. */
    public SimplePod ofPodGroup(String podGroupName) {
        more.put("schedulingGroup", Map.of("podGroupName", podGroupName));
        return this;
    }

    /** Makes it a member of a group that the bridge plans: with our label, annotation and scheduling gate. */
    public SimplePod ofGatedGroup(String group, int minMember) {
        labels.put("numaledger.io/pod-group", group);
        annotations.put("numaledger.io/min-member", Integer.toString(minMember));
        gates.add("numaledger.io/group");
        return this;
    }

    /** The same without the gate. */
    public SimplePod ofLabelledGroup(String group, int minMember) {
        ofGatedGroup(group, minMember);
        gates.clear();
        return this;
    }

    public SimplePod annotated(String annotation, String value) {
        annotations.put(annotation, value);
        return this;
    }

    public SimplePod ofPriority(String priorityClassName) {
        priorityClass = priorityClassName;
        return this;
    }

    /** Its containers do not end before the grace period is over. Call it before the containers are added. */
    public SimplePod endingSlowly(long seconds) {
        image = "example.com/ignores-sigterm:1";
        gracePeriodSeconds = seconds;
        return this;
    }

    /** Its containers use the devices of this ResourceClaim. Call it before the containers are added. */
    public SimplePod claiming(String claim) {
        claims.add(new PodResourceClaimBuilder()
                .withName(claim)
                .withResourceClaimName(claim)
                .build());
        return this;
    }

    /** The same with a ResourceClaim of its own, made from this ResourceClaimTemplate. */
    public SimplePod claimingFrom(String template) {
        claims.add(new PodResourceClaimBuilder()
                .withName(template)
                .withResourceClaimTemplateName(template)
                .build());
        return this;
    }

    public SimplePod neverRestarted() {
        restartPolicy = "Never";
        return this;
    }

    /** Requests and limits of the pod as a whole ({@code spec.resources}). */
    public SimplePod ofResources(String... limits) {
        resources = new ResourceRequirementsBuilder()
                .withRequests(amounts(limits))
                .withLimits(amounts(limits))
                .build();
        return this;
    }

    /** An app container whose limits are pairs such as {@code cpu=3}. */
    public SimplePod with(String container, String... limits) {
        containers.add(container(container, limits, limits).build());
        return this;
    }

    /** A plain init container. */
    public SimplePod initially(String container, String... limits) {
        init.add(container(container, limits, limits).build());
        return this;
    }

    /** A restartable init container. */
    public SimplePod sidecar(String container, String... limits) {
        init.add(
                container(container, limits, limits).withRestartPolicy("Always").build());
        return this;
    }

    /** An app container with requests and no limits, so that the pod is Burstable. */
    public SimplePod burstable(String container, String... requests) {
        containers.add(container(container, requests, new String[0]).build());
        return this;
    }

    private ContainerBuilder container(String name, String[] requests, String[] limits) {
        return new ContainerBuilder()
                .withName(name)
                .withImage(image)
                .withNewResources()
                .withRequests(amounts(requests))
                .withLimits(amounts(limits))
                .withClaims(claims.stream()
                        .map(claim -> new ResourceClaim(claim.getName(), null))
                        .toList())
                .endResources();
    }

    private static Map<String, Quantity> amounts(String[] pairs) {
        Map<String, Quantity> amounts = new TreeMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            amounts.put(pair.substring(0, equals), Quantity.parse(pair.substring(equals + 1)));
        }
        return amounts;
    }

    public Pod build() {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withLabels(labels)
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withSchedulingGates(gates.stream().map(PodSchedulingGate::new).toList())
                .withNodeName(node)
                .withSchedulerName(scheduler)
                .withRestartPolicy(restartPolicy)
                .withAutomountServiceAccountToken(false)
                .withPriorityClassName(priorityClass)
                .withTerminationGracePeriodSeconds(gracePeriodSeconds)
                .withResources(resources)
                .withInitContainers(init)
                .withContainers(containers)
                .withResourceClaims(claims)
                .addToAdditionalProperties(more)
                .endSpec()
                .build();
    }
}
