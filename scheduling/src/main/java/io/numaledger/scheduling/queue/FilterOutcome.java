package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.NodeNames;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the queue needs to know of a filter call.
 *
 * @param names all nodes of the call; all nodes of the cluster if the scheduler has offered a sample of them and none takes the pod
 * @param reserved those that admit the pod and are reserved for an older one
 * @param admitted whether a node is left for the pod
 * @param version the last version of any node's state before the pod was evaluated
 * @param nominated the node for which the scheduler knows the pod to be nominated: it has called for this node first, or refused it itself
 * @param notOffered nodes that fit, and are not in the sample; absent: the scheduler has offered all nodes that it knows to fit
 * @param held nodes that refuse the pod only until more is known of them
 */
public record FilterOutcome(
        PodFacts pod,
        NodeNames names,
        Map<String, PendingPod> reserved,
        boolean admitted,
        long version,
        Optional<String> nominated,
        Optional<List<String>> notOffered,
        List<String> held) {

    /** Whether the scheduler has called for the nominated node alone. */
    boolean isForNominatedNode() {
        return names.size() == 1 && nominated.equals(Optional.of(names.get(0)));
    }
}
