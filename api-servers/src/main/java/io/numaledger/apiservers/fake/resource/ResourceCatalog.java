package io.numaledger.apiservers.fake.resource;

import io.numaledger.apiservers.fake.resource.ResourceType.Names;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The kinds that the server stores. */
public final class ResourceCatalog {

    public static final ResourceType NAMESPACES =
            ResourceType.core(Names.of("Namespace", "namespaces", "ns"), false, "status");
    public static final ResourceType NODES = ResourceType.core(Names.of("Node", "nodes", "no"), false, "status");
    public static final ResourceType PODS =
            ResourceType.core(Names.of("Pod", "pods", "po"), true, "status", "binding", "eviction");

    private static final List<ResourceType> ALL = List.of(
            NAMESPACES,
            NODES,
            PODS,
            ResourceType.core(Names.of("Event", "events", "ev"), true),
            ResourceType.core(Names.of("ServiceAccount", "serviceaccounts", "sa"), true),
            ResourceType.core(Names.of("Service", "services", "svc"), true, "status"),
            ResourceType.core(Names.of("ConfigMap", "configmaps", "cm"), true),
            ResourceType.builtIn("coordination.k8s.io", Names.of("Lease", "leases"), true),
            ResourceType.builtIn(
                    "policy", Names.of("PodDisruptionBudget", "poddisruptionbudgets", "pdb"), true, "status"),
            // As in the chart's definition.
            new ResourceType(
                    "topology.node.k8s.io",
                    "v1alpha2",
                    Names.of("NodeResourceTopology", "noderesourcetopologies", "node-res-topo"),
                    false,
                    true,
                    Set.of()));

    private ResourceCatalog() {}

    public static List<ResourceType> all() {
        return ALL;
    }

    public static Optional<ResourceType> find(String group, String version, String plural) {
        return in(group, version).stream()
                .filter(type -> type.plural().equals(plural))
                .findFirst();
    }

    /** The version of a group that exists: each has one. */
    public static String version(String group) {
        return ALL.stream()
                .filter(type -> type.group().equals(group))
                .map(ResourceType::version)
                .findFirst()
                .orElseThrow();
    }

    /** All groups except the core group. */
    public static SortedSet<String> groups() {
        SortedSet<String> groups = new TreeSet<>();
        ALL.forEach(type -> groups.add(type.group()));
        groups.remove("");
        return groups;
    }

    public static List<ResourceType> in(String group, String version) {
        return ALL.stream()
                .filter(type -> type.group().equals(group) && type.version().equals(version))
                .toList();
    }
}
