package io.numaledger.objects;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.fingerprint.PodsFingerprint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Kubernetes objects as YAML, for small clusters. */
public final class ClusterYaml {

    /** A node of two zones with 4 CPUs and a GPU each, CPU 0 reserved; policy single-numa-node. */
    public static String node(String name) {
        return node(name, "single-numa-node");
    }

    public static String node(String name, String policy) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s}
                status:
                  nodeInfo: {kubeletVersion: v1.36.3}
                  capacity: {nvidia.com/gpu: "2"}
                  allocatable: {nvidia.com/gpu: "2"}
                ---
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: %1$s}
                attributes:
                - {name: topologyManagerPolicy, value: %2$s}
                - {name: topologyManagerScope, value: container}
                - {name: cpuManagerPolicy, value: static}
                - {name: memoryManagerPolicy, value: None}
                zones:
                - name: node-0
                  type: Node
                  attributes:
                  - {name: cpus, value: 0-4}
                  - {name: reservedSystemCPUs, value: "0"}
                  - {name: cores, value: "0:0;1:1;2:2;3:3;4:4"}
                  - {name: sockets, value: "0:0-4"}
                  resources:
                  - {name: cpu, capacity: "5", allocatable: "4", available: "4"}
                  - {name: nvidia.com/gpu, capacity: "1", allocatable: "1", available: "1"}
                - name: node-1
                  type: Node
                  attributes:
                  - {name: cpus, value: 5-8}
                  - {name: reservedSystemCPUs, value: ""}
                  - {name: cores, value: "5:5;6:6;7:7;8:8"}
                  - {name: sockets, value: "1:5-8"}
                  resources:
                  - {name: cpu, capacity: "4", allocatable: "4", available: "4"}
                  - {name: nvidia.com/gpu, capacity: "1", allocatable: "1", available: "1"}
                """.formatted(name, policy);
    }

    /** Zones with CPUs, memory and GPUs, and 32 without; the Memory Manager is off. */
    public static String nodeOf34Zones(String name) {
        StringBuilder zones = new StringBuilder();
        for (int id = 2; id < 34; id++) {
            zones.append("- {name: node-%d, type: Node, resources: []}\n".formatted(id));
        }
        return node(name)
                        .replace(
                                "zones:\n",
                                "- {name: topologyManagerOptionMaxAllowableNumaNodes, value: \"34\"}\nzones:\n")
                        .replace(
                                "cpu, capacity: \"4\"",
                                "memory, capacity: 8Gi, allocatable: 7Gi, available: 7Gi}\n  - {name: cpu, capacity: \"4\"")
                + zones;
    }

    /** The same node as an agent publishes it: with these CPUs available, and the fingerprint of these pods. */
    public static String nodeOfAgent(String name, int inZone0, int inZone1, String... pods) {
        String amount = "{name: cpu, capacity: \"%s\", allocatable: \"4\", available: \"%s\"}";
        String fingerprint = PodsFingerprint.of(Arrays.stream(pods)
                .map(key -> key.split("/"))
                .map(key -> new PodName(key[0], key[1]))
                .toList());
        return node(name)
                .replace(amount.formatted(5, 4), amount.formatted(5, inZone0))
                .replace(amount.formatted(4, 4), amount.formatted(4, inZone1))
                .replace("zones:\n", """
                        - {name: nodeTopologyPodsFingerprint, value: %s}
                        - {name: nodeTopologyPodsFingerprintMethod, value: with-exclusive-resources}
                        - {name: initContainerResources, value: published}
                        zones:
                        """.formatted(fingerprint));
    }

    /** The same node while its kubelet restarts. */
    public static String restarting(String node) {
        return node.replace("zones:\n", "- {name: kubelet, value: restarting}\nzones:\n");
    }

    /** A Guaranteed pod of one container; more metadata and status as YAML flow, such as {@code phase: Running}. */
    public static String pod(String name, String limits, String metadata, String spec, String status) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: default, uid: uid-%1$s%3$s}
                spec:
                  containers:
                  - {name: c, image: x, resources: {limits: {%2$s}}}
                %4$s
                status: {qosClass: Guaranteed%5$s}
                """.formatted(name, limits, metadata, spec, status);
    }

    /** A pod without a node. */
    public static PodFacts pending(String name, String limits) {
        return parsePod(pod(name, limits, "", "", ""));
    }

    /** One of the pods above. */
    public static PodFacts parsePod(String yaml) {
        try {
            return PodManifest.read(yaml.replace("---\n", "")).pod();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A pod that runs on a node and was observed with these CPUs. */
    public static String running(String name, String node, String limits, String cpus) {
        return pod(
                name,
                limits,
                ", annotations: {numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"%s\"}]}'}"
                        .formatted(cpus),
                "  nodeName: " + node,
                ", phase: Running");
    }

    /** The same pod, terminating. */
    public static String terminating(String pod) {
        return pod.replaceFirst("uid: ([^,}]+)", "uid: $1, deletionTimestamp: \"2026-01-01T00:00:00Z\"");
    }

    public static ClusterObjects read(String... documents) {
        try {
            return ClusterDump.parse(String.join("", documents));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ClusterYaml() {}
}
