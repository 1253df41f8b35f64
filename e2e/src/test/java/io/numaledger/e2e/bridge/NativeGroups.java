package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimClusterBuilder;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** PodGroups of {@code scheduling.k8s.io} in the namespace default of a cluster whose gates for them are on. */
record NativeGroups(SimCluster cluster, KubeBinaries binaries) {

    /** Turns on what gangs, their topology and their preemption need. */
    static SimClusterBuilder enable(SimClusterBuilder builder, KubeBinaries binaries) {
        return builder.featureGates(
                        is136(binaries)
                                ? List.of(
                                        "GenericWorkload=true",
                                        "GangScheduling=true",
                                        "TopologyAwareWorkloadScheduling=true",
                                        "WorkloadAwarePreemption=true")
                                : List.of("GenericWorkload=true", "TopologyAwareWorkloadScheduling=true"))
                .apiServerArguments(List.of("--runtime-config=%s=true".formatted(apiVersion(binaries))));
    }

    private static boolean is136(KubeBinaries binaries) {
        return binaries.version().contains("1.36");
    }

    private static String apiVersion(KubeBinaries binaries) {
        return "scheduling.k8s.io/" + (is136(binaries) ? "v1alpha2" : "v1beta1");
    }

    /** @param more fields of the specification */
    void create(String name, int minCount, Map<String, Object> more) {
        Map<String, Object> spec = new TreeMap<>(more);
        spec.put("schedulingPolicy", Map.of("gang", Map.of("minCount", minCount)));
        GenericKubernetesResource group = new GenericKubernetesResource();
        group.setApiVersion(apiVersion(binaries));
        group.setKind("PodGroup");
        group.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace("default").build());
        group.setAdditionalProperties(new TreeMap<>(Map.of("spec", spec)));
        cluster.client().resource(group).create();
    }

    void deleteAll() {
        cluster.client()
                .genericKubernetesResources(apiVersion(binaries), "PodGroup")
                .inNamespace("default")
                .delete();
    }
}
