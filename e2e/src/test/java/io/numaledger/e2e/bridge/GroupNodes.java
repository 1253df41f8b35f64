package io.numaledger.e2e.bridge;

import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The cluster of the tests of groups, and the manifests of the docs that run there. */
final class GroupNodes {

    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

    /**
     * Nodes as {@link BridgedNodes#yaml} says: {@code a} and {@code c} are rack 1, {@code b} and {@code d} rack 2. Pods with the label of a
     * group get its gate, and pods of lower priority are evicted for groups. There are the objects of KAI that name groups and topologies.
     */
    static final Supplier<BridgedCluster> GROUPS = GroupNodes::start;

    private GroupNodes() {}

    private static BridgedCluster start() {
        BridgedCluster bridged = BridgedCluster.start(
                RealKubernetes.binaries(),
                BridgedNodes.yaml("a", "b", "c", "d"),
                GroupNodes::credentials,
                "--groups",
                "--preempt-for-groups");
        for (String node : List.of("a", "b", "c", "d")) {
            String rack = "ac".contains(node) ? "1" : "2";
            bridged.cluster()
                    .patchNode(
                            node,
                            "{\"metadata\":{\"labels\":{\"example.com/block\":\"b1\",\"example.com/rack\":\"%s\"}}}"
                                    .formatted(rack));
        }
        return bridged;
    }

    private static Credentials credentials(SimCluster cluster) {
        define(cluster, "scheduling.run.ai", "v2alpha2", "Namespaced", "PodGroup", "podgroups");
        define(cluster, "kai.scheduler", "v1alpha1", "Cluster", "Topology", "topologies");
        return ChartRights.credentials(cluster, "bridge.groups.enabled=true", "bridge.groups.addGate=true");
    }

    private static void define(
            SimCluster cluster, String group, String version, String scope, String kind, String plural) {
        cluster.client()
                .load(stream("""
                        apiVersion: apiextensions.k8s.io/v1
                        kind: CustomResourceDefinition
                        metadata: {name: %5$s.%1$s, annotations: {api-approved.kubernetes.io: unapproved}}
                        spec:
                          group: %1$s
                          scope: %3$s
                          names: {kind: %4$s, plural: %5$s}
                          versions:
                          - name: %2$s
                            served: true
                            storage: true
                            schema:
                              openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
                        """.formatted(group, version, scope, kind, plural)))
                .create();
    }

    static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The YAML blocks of a page. */
    static List<String> manifests(String page) throws IOException {
        String text = Files.readString(Path.of(System.getProperty("numaledger.root"), "docs", page));
        return BLOCK.matcher(text)
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
    }
}
