package io.numaledger.bridge.group;

import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.evaluation.NodeEquivalenceClass;
import io.numaledger.bridge.evaluation.PodShape;
import io.numaledger.bridge.evaluation.TentativeNode;
import io.numaledger.bridge.objects.PodFacts;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many copies of a pod a node takes, one after the other until its kubelet refuses one. To divide free amounts by requests would
 * count too many: pods do not share what is left over in each zone. Counts of nodes that are alike are remembered. Thread-safe.
 */
final class CopyCounts {

    private static final int MAX_COUNTS = 20_000;

    private final Map<Key, Count> counts = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Count> eldest) {
            return size() > MAX_COUNTS;
        }
    });

    /** Classes are equal if they are the same object. */
    private record Key(NodeEquivalenceClass nodes, PodShape shape) {}

    /** @param most the counting was stopped here */
    private record Count(int copies, int most) {

        boolean isEnoughFor(int wanted) {
            return copies < most || wanted <= most;
        }
    }

    /**
     * Counts.
     *
     * @param most stop counting here
     */
    int of(CandidateNode node, PodFacts pod, PodShape shape, int most) {
        if (node.zones().isEmpty() || FullModel.isConditional(pod)) {
            return oneByOne(node.start(), pod, most);
        }
        int room = node.start().roomFor(pod, most);
        CandidateNode.SharedZones zones = node.zones().get();
        Key key = new Key(zones.nodes(), shape);
        Optional<Count> known = Optional.ofNullable(counts.get(key)).filter(count -> count.isEnoughFor(room));
        Count count = known.orElseGet(() -> new Count(FullModel.copies(zones.nodes(), zones.now(), pod, most), most));
        if (known.isEmpty()) {
            counts.put(key, count);
        }
        return Math.min(room, count.copies());
    }

    private static int oneByOne(TentativeNode node, PodFacts pod, int most) {
        Optional<TentativeNode> state = Optional.of(node);
        for (int copies = 0; copies < most; copies++) {
            PodFacts copy = pod.requesting(pod.request().named("%s-%d".formatted(pod.key(), copies)));
            state = state.get().with(copy);
            if (state.isEmpty()) {
                return copies;
            }
        }
        return most;
    }
}
