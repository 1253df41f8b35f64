package io.numaledger.bridge.run;

import io.numaledger.bridge.extender.FilterVerb;
import io.numaledger.bridge.extender.NoListener;
import io.numaledger.bridge.extender.PrioritizeVerb;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Calls {@code filter} and {@code prioritize} for pods that do not exist, before a scheduler calls them: the first calls otherwise wait until
 * classes are loaded and code is compiled. The calls have no effect, and no metric counts them. Without zones in the cluster there are no
 * calls: they would compile nothing that decides by zones.
 */
final class WarmUp {

    private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

    static final int CALLS = 200;

    /** Ends earlier in a large cluster, where each call compiles more. */
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Pods request 1 to 512 CPUs: some fit one zone, some need several, some fit nowhere. */
    private static final int CPU_SIZES = 10;

    private final ClusterState cluster;
    private final ResourceIndex index;
    private final BridgeOptions options;
    private final LongSupplier nanos;

    /**
     * @param index that of the cluster's nodes
     * @param nanos a clock that does not jump
     */
    WarmUp(ClusterState cluster, ResourceIndex index, BridgeOptions options, LongSupplier nanos) {
        this.cluster = cluster;
        this.index = index;
        this.options = options;
        this.nanos = nanos;
    }

    /** Returns the number of pods that the verbs were called for. Does not fail. Its evaluator, with all results, ends with it. */
    int run() {
        BatchEvaluator evaluator = options.extender.evaluator(cluster, index);
        PendingPodQueue queue = options.pending.queue(cluster, evaluator, () -> 0, (pod, node) -> {});
        FilterVerb filter = options.extender.filter(cluster, evaluator, queue, Gangs.none(cluster), new NoListener());
        return run(filter, new PrioritizeVerb(cluster, evaluator));
    }

    private int run(FilterVerb filter, PrioritizeVerb prioritize) {
        int calls = 0;
        try {
            long begun = nanos.getAsLong();
            String names = hasZones() ? nodeNames() : "";
            while (calls < CALLS && !names.isEmpty() && nanos.getAsLong() - begun < TIMEOUT.toNanos()) {
                byte[] body = arguments(calls++, names);
                filter.answer(body);
                prioritize.answer(body);
            }
        } catch (IOException | RuntimeException e) {
            log.warn("event=bridge.warm_up_failed", e); // only the first calls take longer
        }
        return calls;
    }

    private boolean hasZones() {
        return cluster.models().values().stream()
                .anyMatch(model -> model.kubelet().isPresent());
    }

    private String nodeNames() {
        NodeIndex nodes = cluster.index();
        return IntStream.range(0, nodes.size()).mapToObj(nodes::name).collect(Collectors.joining("\",\"", "\"", "\""));
    }

    private static byte[] arguments(int number, String names) {
        String amounts = "{\"cpu\":\"%d\",\"memory\":\"%dMi\"}".formatted(1 << (number % CPU_SIZES), 512 + number);
        return """
                {"Pod":{"metadata":{"name":"warm-up","namespace":"default","uid":"warm-up-%1$d"},"spec":{"containers":[\
                {"name":"main","resources":{"requests":%2$s,"limits":%2$s}}]}},"NodeNames":[%3$s]}""".formatted(number, amounts, names).getBytes(StandardCharsets.UTF_8);
    }
}
