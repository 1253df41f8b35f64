package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pods for tests, in the namespace default. Requests equal limits unless said otherwise. */
final class TestPod {

    private final String name;
    private final List<Container> init = new ArrayList<>();
    private final List<Container> containers = new ArrayList<>();
    private String node;
    private String scheduler = "default-scheduler";
    private String restartPolicy = "Always";

    private TestPod(String name) {
        this.name = name;
    }

    static TestPod named(String name) {
        return new TestPod(name);
    }

    /** Sends it to a node past the scheduler. */
    TestPod on(String nodeName) {
        node = nodeName;
        return this;
    }

    /** Leaves it to a scheduler of that name. */
    TestPod scheduledBy(String schedulerName) {
        scheduler = schedulerName;
        return this;
    }

    TestPod neverRestarted() {
        restartPolicy = "Never";
        return this;
    }

    /** An app container whose limits are pairs such as {@code cpu=3}. */
    TestPod with(String container, String... limits) {
        containers.add(container(container, limits, limits).build());
        return this;
    }

    /** A plain init container. */
    TestPod initially(String container, String... limits) {
        init.add(container(container, limits, limits).build());
        return this;
    }

    /** A restartable init container. */
    TestPod sidecar(String container, String... limits) {
        init.add(
                container(container, limits, limits).withRestartPolicy("Always").build());
        return this;
    }

    /** An app container that may take more than it asks for, so that the pod is Burstable. */
    TestPod burstable(String container, String... requests) {
        containers.add(container(container, requests, new String[0]).build());
        return this;
    }

    private static ContainerBuilder container(String name, String[] requests, String[] limits) {
        return new ContainerBuilder()
                .withName(name)
                .withImage("example.com/app:1")
                .withNewResources()
                .withRequests(amounts(requests))
                .withLimits(amounts(limits))
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

    Pod build() {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .withSchedulerName(scheduler)
                .withRestartPolicy(restartPolicy)
                .withAutomountServiceAccountToken(false)
                .withTerminationGracePeriodSeconds(0L)
                .withInitContainers(init)
                .withContainers(containers)
                .endSpec()
                .build();
    }
}
