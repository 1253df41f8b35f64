package io.numaledger.annotation;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Keeps the placement records of a node's pods equal to the kubelet's report, and writes only differences.
 *
 * <p>The kubelet names pods without UID. Its word is taken for the instance that the API server shows under that name only if that
 * instance had been admitted before the kubelet was called, and the kubelet lists the name once.
 *
 * <table>
 * <caption>what happens to a pod's records</caption>
 * <tr><th>API server</th><th>kubelet</th><th>records</th></tr>
 * <tr><td>started</td><td>lists it once</td><td>its placement, in both forms; none if it holds nothing</td></tr>
 * <tr><td>started</td><td>lists the name twice</td><td>not changed, until the old instance has ended</td></tr>
 * <tr><td>started</td><td>does not list it</td><td>left for a while (a restarted kubelet lists its pods one by one), then none</td></tr>
 * <tr><td>not started</td><td>any</td><td>none</td></tr>
 * <tr><td>ended</td><td>any</td><td>left</td></tr>
 * </table>
 */
public final class PodAnnotator {

    private static final int AT_ONCE = 4;

    private final PodStore store;
    private final Duration keepMissingFor;
    private final Map<String, Instant> missingSince = new TreeMap<>();

    /** @param keepMissingFor how long a pod that the kubelet does not list keeps its last known placement */
    public PodAnnotator(PodStore store, Duration keepMissingFor) {
        this.store = store;
        this.keepMissingFor = keepMissingFor;
    }

    /** What one pass over the pods of a node came to. */
    public record Result(int written, int removed, int unchanged, List<Failure> failures) {

        /** A pod that could not be written. */
        public record Failure(PodView pod, IOException cause) {}
    }

    /**
     * Decides the records of each pod, by UID. Missing pods are not changed.
     *
     * @param pods the pods as the API server reported them before the kubelet was called
     * @param listed key → what the kubelet lists under that name
     */
    public SortedMap<String, PodRecords> decide(
            Collection<PodView> pods, Map<String, List<PodRecords>> listed, Instant now) {
        SortedMap<String, PodRecords> decisions = new TreeMap<>();
        Map<String, Instant> stillMissing = new TreeMap<>();
        for (PodView pod : pods) {
            List<PodRecords> records = listed.getOrDefault(pod.key(), List.of());
            if (pod.terminal() || (pod.started() && records.size() > 1)) {
                continue;
            }
            if (!pod.started()) {
                decisions.put(pod.uid(), PodRecords.NONE);
            } else if (records.size() == 1) {
                decisions.put(pod.uid(), records.get(0));
            } else {
                Instant since = missingSince.getOrDefault(pod.uid(), now);
                stillMissing.put(pod.uid(), since);
                if (!now.isBefore(since.plus(keepMissingFor))) {
                    decisions.put(pod.uid(), PodRecords.NONE);
                }
            }
        }
        missingSince.clear();
        missingSince.putAll(stillMissing);
        return decisions;
    }

    /** True while a pod that runs here according to the API server may yet be listed by the kubelet. */
    public boolean waiting(Instant now) {
        return missingSince.values().stream().anyMatch(since -> now.isBefore(since.plus(keepMissingFor)));
    }

    /** Writes what differs, several at a time; a pod that cannot be written does not keep the others waiting. */
    public Result write(Collection<PodView> pods, SortedMap<String, PodRecords> decisions) {
        List<Write> writes = pods.stream()
                .map(pod -> new Write(pod, decisions.getOrDefault(pod.uid(), pod.records())))
                .filter(write -> !write.records().equals(write.pod().records()))
                .toList();
        int written = 0;
        int removed = 0;
        List<Result.Failure> failures = new ArrayList<>();
        for (Wrote wrote : atOnce(writes)) {
            wrote.failure()
                    .ifPresent(cause ->
                            failures.add(new Result.Failure(wrote.write().pod(), cause)));
            boolean none = wrote.write().records().isEmpty();
            written += wrote.done() && !none ? 1 : 0;
            removed += wrote.done() && none ? 1 : 0;
        }
        return new Result(written, removed, pods.size() - writes.size(), failures);
    }

    private record Write(PodView pod, PodRecords records) {}

    private record Wrote(Write write, boolean done, Optional<IOException> failure) {}

    /** Writes one after the other while there is one only, as nearly always: threads are for the first pass of an agent. */
    private List<Wrote> atOnce(List<Write> writes) {
        if (writes.size() <= 1) {
            return writes.stream().map(this::write).toList();
        }
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(AT_ONCE, writes.size()));
        try {
            return writes.stream()
                    .map(write -> CompletableFuture.supplyAsync(() -> write(write), threads))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        } finally {
            threads.shutdown();
        }
    }

    private Wrote write(Write write) {
        try {
            return new Wrote(
                    write, store.write(write.pod(), write.records()) == PodStore.Written.DONE, Optional.empty());
        } catch (IOException e) {
            return new Wrote(write, false, Optional.of(e));
        }
    }
}
