package io.numaledger.evaluation.facts;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Why kube-scheduler may refuse a node for a pod, beside what is modelled here. The plugins that refuse are those of
 * {@code getDefaultPlugins}, apis/config/v1/default_plugins.go.
 */
public enum UnmodelledConstraint {
    /** InterPodAffinity. */
    POD_AFFINITY("required pod affinity"),
    /** InterPodAffinity. */
    POD_ANTI_AFFINITY("required pod anti-affinity"),
    /** PodTopologySpread. */
    TOPOLOGY_SPREAD("topology spread constraints"),
    /** VolumeBinding, VolumeZone, VolumeRestrictions, NodeVolumeLimits. */
    VOLUMES("volumes"),
    /** DynamicResources. */
    RESOURCE_CLAIMS("resource claims"),
    /** NodePorts, for more ports than are compared. */
    HOST_PORTS("many host ports"),
    /** NodeDeclaredFeatures. */
    NODE_FEATURES("features that nodes declare");

    private final String text;

    UnmodelledConstraint(String text) {
        this.text = text;
    }

    /** The constraints in words for people. */
    public static String text(Collection<UnmodelledConstraint> constraints) {
        return constraints.stream().sorted().map(each -> each.text).collect(Collectors.joining(", "));
    }
}
