package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.snapshot.NodeModel;
import io.numaledger.bridge.snapshot.Unmodelled;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.SortedMap;
import java.util.TreeMap;

/** Reports which nodes have no complete kubelet model: in a metric, and in the log when that changes. For one thread. */
final class ModelReporter {

    private static final Logger log = LoggerFactory.getLogger(ModelReporter.class);
    private static final String PARTIAL = "partial";

    /** More lines at once would hide everything else in the log; the metric has all nodes. */
    private static final int MAX_LINES = 20;

    private final BridgeMetrics metrics;
    private SortedMap<String, Problem> reported = new TreeMap<>();

    ModelReporter(BridgeMetrics metrics) {
        this.metrics = metrics;
    }

    /** What is wrong with the model of one node. */
    private record Problem(String reason, String message) {}

    /** @param models of all nodes, by name */
    void report(SortedMap<String, NodeModel> models) {
        SortedMap<String, Problem> now = new TreeMap<>();
        models.forEach((node, model) -> {
            if (model.unmodelled().isPresent()) {
                Unmodelled why = model.unmodelled().get();
                now.put(node, new Problem(why.kind().toString(), why.message()));
            } else if (!model.leftOut().isEmpty()) {
                now.put(node, new Problem(PARTIAL, "left out: " + String.join(", ", model.leftOut())));
            }
        });
        if (now.equals(reported)) {
            return;
        }
        SortedMap<String, String> reasons = new TreeMap<>();
        now.forEach((node, problem) -> reasons.put(node, problem.reason()));
        metrics.unmodelledNodes(reasons);
        log(now);
        reported = now;
    }

    private void log(SortedMap<String, Problem> now) {
        now.entrySet().stream()
                .filter(each -> !each.getValue().equals(reported.get(each.getKey())))
                .limit(MAX_LINES)
                .forEach(each -> log.warn(
                        "event=node.unmodelled node={} reason={} message=\"{}\" nodes={}",
                        each.getKey(),
                        each.getValue().reason(),
                        each.getValue().message(),
                        now.size()));
        reported.keySet().stream()
                .filter(node -> !now.containsKey(node))
                .limit(MAX_LINES)
                .forEach(node -> log.info("event=node.modelled node={} nodes={}", node, now.size()));
    }
}
