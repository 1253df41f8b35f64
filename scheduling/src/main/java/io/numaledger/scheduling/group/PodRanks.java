package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.TopologyAnnotations;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The numbers of the pods of a group, from 0 on. A pod of an indexed Job, a StatefulSet or a LeaderWorkerSet has its index. Other pods get
 * the lowest numbers that are free, in the order of their indexes and then of their age, so that a replacement gets the number of the lost pod.
 */
final class PodRanks {

    private static final String GLOBAL_JOB_INDEX = "jobset.sigs.k8s.io/job-global-index";

    /** Labels of which each alone numbers the pods of a group. */
    private static final List<String> INDEXES = List.of(
            "batch.kubernetes.io/job-completion-index",
            "leaderworkerset.sigs.k8s.io/worker-index",
            "apps.kubernetes.io/pod-index");

    /** Numbers the pods of one role only. */
    private static final String REPLICA_INDEX = "training.kubeflow.org/replica-index";

    private PodRanks() {}

    /**
     * The numbers of pods, in their order.
     *
     * @param placed other pods of the group; those that were planned have their numbers
     */
    static Map<PodFacts, Integer> of(List<PodFacts> pods, Collection<PodFacts> placed) {
        Set<Integer> taken = new HashSet<>();
        placed.forEach(pod -> of(pod).ifPresent(taken::add));
        Map<PodFacts, Integer> ranks = new LinkedHashMap<>();
        List<PodFacts> ordered = pods.stream()
                .sorted(Comparator.comparingInt((PodFacts pod) ->
                                number(pod.labels().get(GLOBAL_JOB_INDEX)).orElse(Integer.MAX_VALUE))
                        .thenComparingInt(pod -> anyIndex(pod).orElse(Integer.MAX_VALUE)))
                .toList();
        ordered.forEach(pod -> index(pod).ifPresent(index -> {
            if (taken.add(index)) {
                ranks.put(pod, index);
            }
        }));
        int next = 0;
        for (PodFacts pod : ordered) {
            if (!ranks.containsKey(pod)) {
                while (!taken.add(next)) {
                    next++;
                }
                ranks.put(pod, next);
            }
        }
        return sorted(ranks);
    }

    private static Map<PodFacts, Integer> sorted(Map<PodFacts, Integer> ranks) {
        Map<PodFacts, Integer> sorted = new LinkedHashMap<>();
        ranks.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .forEach(each -> sorted.put(each.getKey(), each.getValue()));
        return sorted;
    }

    /** The number that a pod has, by its plan or else by its index. */
    static OptionalInt of(PodFacts pod) {
        OptionalInt written = number(pod.annotations().get(TopologyAnnotations.RANK));
        return written.isPresent() ? written : index(pod);
    }

    /** The index of a pod; absent for the pods of a JobSet, of which several have the same index. */
    private static OptionalInt index(PodFacts pod) {
        return pod.labels().containsKey(GLOBAL_JOB_INDEX) ? OptionalInt.empty() : first(pod, INDEXES.stream());
    }

    private static OptionalInt anyIndex(PodFacts pod) {
        return first(pod, Stream.concat(INDEXES.stream(), Stream.of(REPLICA_INDEX)));
    }

    private static OptionalInt first(PodFacts pod, Stream<String> labels) {
        return labels.map(label -> number(pod.labels().get(label)))
                .filter(OptionalInt::isPresent)
                .findFirst()
                .orElse(OptionalInt.empty());
    }

    private static OptionalInt number(@Nullable String text) {
        try {
            int number = text == null ? -1 : Integer.parseInt(text);
            return number < 0 ? OptionalInt.empty() : OptionalInt.of(number);
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }
}
