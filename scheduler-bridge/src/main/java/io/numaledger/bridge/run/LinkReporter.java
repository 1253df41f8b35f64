package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.PlacementMetrics;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.link.GpuLinks;
import io.numaledger.evaluation.link.ObservedLinks;
import io.numaledger.scheduling.state.ClusterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Reports which links the GPUs of pods have that ask for links, once for each pod, when its placement is first observed. */
final class LinkReporter {

    private static final Logger log = LoggerFactory.getLogger(LinkReporter.class);

    private final ClusterState cluster;
    private final PlacementMetrics metrics;
    private final PodEvents events;

    /** UIDs of bound pods without an observed placement. */
    private final Set<String> unobserved = ConcurrentHashMap.newKeySet();

    LinkReporter(ClusterState cluster, PlacementMetrics metrics, PodEvents events) {
        this.cluster = cluster;
        this.metrics = metrics;
        this.events = events;
    }

    /** Call it after the cluster state has changed. */
    void podChanged(PodFacts pod) {
        if (pod.node().isEmpty() || pod.uid().isEmpty() || !GpuLinks.isAskedBy(pod)) {
            return;
        }
        if (pod.records().placement().isEmpty()) {
            unobserved.add(pod.uid().get());
        } else if (unobserved.remove(pod.uid().get())) {
            observed(pod);
        }
    }

    void podDeleted(PodFacts pod) {
        pod.uid().ifPresent(unobserved::remove);
    }

    private void observed(PodFacts pod) {
        try {
            Optional<ObservedLinks> observed =
                    cluster.snapshot(pod.node().orElseThrow()).flatMap(node -> ObservedLinks.of(pod, node));
            observed.ifPresent(links -> report(pod, links));
        } catch (IllegalArgumentException e) {
            log.debug("event=links.unreadable pod={} error=\"{}\"", pod.key(), e.getMessage());
        }
    }

    private void report(PodFacts pod, ObservedLinks links) {
        metrics.linksObserved(links.result());
        switch (links.result()) {
            case BEST -> {}
            case WORSE ->
                events.warn(
                        pod,
                        "GpuLinksWorse",
                        "the pod's GPUs have %d links; %d were possible with others of the same NUMA nodes"
                                .formatted(links.links(), links.most().orElseThrow()));
            case MISSING ->
                events.warn(
                        pod,
                        "GpuLinksMissing",
                        "the pod's GPUs lack the links that it demands; they have %d in all".formatted(links.links()));
        }
    }
}
