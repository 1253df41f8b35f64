package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.facts.AntiAffinityTerm;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Reservation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The nodes for which a plan proves that kube-scheduler accepts pods once others have ended: nobody is evicted without that. What kube-scheduler
 * considers beside what is modelled here excludes a node, also where only a victim has it.
 */
public final class ProvenNodes {

    private ProvenNodes() {}

    private record Term(AntiAffinityTerm term, String namespace) {}

    private record Place(String label, String value) {}

    /** The proven nodes among some; none for pods that have such constraints themselves. */
    public static List<NodeUse> of(List<NodeUse> uses, List<PodFacts> pods) {
        if (pods.stream().anyMatch(pod -> pod.constraints().tied())) {
            return List.of();
        }
        Set<Place> closed = closed(uses, pods);
        return uses.stream()
                .filter(use -> closed.isEmpty()
                        || use.node().constraints().labels().entrySet().stream()
                                .noneMatch(label -> closed.contains(new Place(label.getKey(), label.getValue()))))
                .toList();
    }

    /** Whether a pod that runs may keep another one from its node for a reason that is not modelled here. */
    public static boolean isInTheWay(PodFacts running, PodFacts pod) {
        return running.constraints().antiAffinity().stream().anyMatch(term -> term.selects(pod, running));
    }

    /** The places where a pod runs whose required anti-affinity selects one of these pods. */
    private static Set<Place> closed(List<NodeUse> uses, List<PodFacts> pods) {
        Map<Term, Boolean> selecting = new HashMap<>();
        Set<Place> closed = new HashSet<>();
        for (NodeUse use : uses) {
            Map<String, String> labels = use.node().constraints().labels();
            occupants(use)
                    .forEach(owner -> owner.constraints().antiAffinity().forEach(term -> {
                        String value = labels.get(term.topologyKey());
                        if (value != null
                                && selecting.computeIfAbsent(
                                        new Term(term, owner.namespace()),
                                        any -> pods.stream().anyMatch(pod -> term.selects(pod, owner)))) {
                            closed.add(new Place(term.topologyKey(), value));
                        }
                    }));
        }
        return closed;
    }

    private static Stream<PodFacts> occupants(NodeUse use) {
        return Stream.concat(use.pods().stream(), use.reserved().stream().map(Reservation::pod));
    }
}
