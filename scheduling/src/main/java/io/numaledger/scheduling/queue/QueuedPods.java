package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The pods in the queue, a limited number, by UID and by age. The queue's lock guards changes; {@link #size} is read without. */
final class QueuedPods {

    private static final int MAX_PODS = 1_000;

    private final Map<String, QueuedPod> byUid = new ConcurrentHashMap<>();
    private final NavigableSet<QueuedPod> byAge = new TreeSet<>(QueuedPod.OLDEST_FIRST);

    int size() {
        return byUid.size();
    }

    Optional<QueuedPod> find(PodFacts pod) {
        return pod.uid().map(byUid::get);
    }

    /** The entry of a pod; absent if the pod has left the queue. */
    Optional<QueuedPod> find(PendingPod pending) {
        return find(pending.pod).filter(each -> each.pending().equals(pending));
    }

    Stream<QueuedPod> oldestFirst() {
        return byAge.stream();
    }

    /** Adds a pod that has a UID and is not in the queue. */
    QueuedPod add(PendingPod pending) {
        QueuedPod queued = new QueuedPod(pending);
        byUid.put(pending.pod.uid().orElseThrow(), queued);
        byAge.add(queued);
        return queued;
    }

    void remove(PodFacts pod) {
        pod.uid().map(byUid::remove).ifPresent(byAge::remove);
    }

    /** In a full queue, a pod takes the place of the youngest one of the namespace that has the most, so that no namespace keeps others out. */
    boolean makeRoom(PodFacts pod) {
        if (byUid.size() < MAX_PODS) {
            return true;
        }
        Map<String, Long> counts =
                byAge.stream().collect(Collectors.groupingBy(each -> each.pod().namespace(), Collectors.counting()));
        long most = Collections.max(counts.values());
        if (most <= counts.getOrDefault(pod.namespace(), 0L) + 1) {
            return false;
        }
        byAge.descendingSet().stream()
                .map(QueuedPod::pod)
                .filter(each -> counts.getOrDefault(each.namespace(), 0L) == most)
                .findFirst()
                .ifPresent(this::remove);
        return true;
    }
}
