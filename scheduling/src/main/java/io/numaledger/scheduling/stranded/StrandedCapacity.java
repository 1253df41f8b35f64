package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.NodeConstraints;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.stranded.StrandedReport.NodeRow;

import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Counts, for each node and reference pod, how many more would run. A node is counted again when its state has a new version, so that an
 * event costs only its node. Pods that are bound count as running; places that are reserved for waiting pods count as free. Thread-safe.
 */
public final class StrandedCapacity {

    private static final int MAX_COUNTERS = 200;
    private static final long NEVER = -1;

    /** Far more than all reference pods cost, unless claims of pods are costly. */
    private static final long WORK_PER_NODE = 1_000_000;

    private final ClusterState cluster;
    private final ReferencePods references;
    private final Function<NodeFacts, String> pools;
    private final Map<String, CountedNode> nodes = new HashMap<>();
    private final SortedMap<Key, StrandedSum> sums = new TreeMap<>();
    private final Map<State, Integer> states = new EnumMap<>(State.class);
    private final Map<ReferencePod, ReferenceCounter> counters = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ReferencePod, ReferenceCounter> eldest) {
            return size() > MAX_COUNTERS;
        }
    };
    private Optional<NodeIndex> index = Optional.empty();

    /** The versions with which nodes were counted, in the order of the index; {@link #NEVER}: not yet. */
    private long[] versions = {};

    /** Those that the last update has left to this one, in the order of the index. */
    private final BitSet deferred = new BitSet();

    private int next;
    private volatile StrandedReport report = StrandedReport.NONE;

    private enum State {
        COUNTED,
        /** Nothing is known of the node's zones, or of the node as a whole. */
        UNKNOWN,
        /** The node takes no new pods. */
        CLOSED,
        /** The API server does not show the node. */
        GONE
    }

    /** @param version of the node's state when it was counted */
    private record CountedNode(long version, String pool, State state, List<NodeCount> counts) {}

    private record Key(String reference, String pool) implements Comparable<Key> {

        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::reference).thenComparing(Key::pool);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    /** @param pools the pool of a node */
    public StrandedCapacity(ClusterState cluster, ReferencePods references, Function<NodeFacts, String> pools) {
        this.cluster = cluster;
        this.references = references;
        this.pools = pools;
    }

    /** The counts after the last {@link #update}. */
    public StrandedReport report() {
        return report;
    }

    /**
     * Counts nodes that have changed since they were counted. One that may be in several states is left to the next call, once: with one state,
     * it costs much less.
     *
     * @param most so many at most; the others follow with the next calls
     * @return how many were counted
     */
    public synchronized int update(int most) {
        NodeIndex now = cluster.index();
        boolean changed = index.filter(known -> known == now).isEmpty() && setIndex(now);
        int counted = 0;
        int looked = 0;
        for (; looked < now.size() && counted < most; looked++) {
            int at = (next + looked) % now.size();
            long version = cluster.versions().get(now.slot(at));
            if (versions[at] != version && !defers(now, at)) {
                CountedNode node = count(now.name(at), version);
                put(now.name(at), node);
                versions[at] = node.version();
                counted++;
            }
        }
        boolean complete = looked == now.size();
        next = complete ? 0 : (next + looked) % now.size();
        if (changed || counted > 0 || complete != report.complete()) {
            report = report(complete);
        }
        return counted;
    }

    private boolean defers(NodeIndex now, int at) {
        boolean defers = versions[at] != NEVER
                && !deferred.get(at)
                && cluster.snapshots(now.name(at))
                        .filter(states -> states.states().count() > 1)
                        .isPresent();
        deferred.set(at, defers);
        return defers;
    }

    /** Forgets nodes that are not in it. Returns whether there were some. */
    private boolean setIndex(NodeIndex now) {
        index = Optional.of(now);
        deferred.clear();
        Set<String> names = IntStream.range(0, now.size()).mapToObj(now::name).collect(Collectors.toSet());
        List<String> gone =
                nodes.keySet().stream().filter(name -> !names.contains(name)).toList();
        gone.forEach(name -> remove(nodes.remove(name)));
        versions = IntStream.range(0, now.size())
                .mapToLong(at -> Optional.ofNullable(nodes.get(now.name(at)))
                        .map(CountedNode::version)
                        .orElse(NEVER))
                .toArray();
        return !gone.isEmpty();
    }

    /** @param version read before the state: a change meanwhile is counted again */
    private CountedNode count(String name, long version) {
        Optional<NodeUse> use = cluster.use(name, new EvaluationBudget(WORK_PER_NODE));
        if (use.isEmpty()) {
            return new CountedNode(version, "", State.GONE, List.of());
        }
        NodeUse now = use.get();
        String pool = pools.apply(now.node());
        State state = isClosed(now.node().constraints()) ? State.CLOSED : isKnown(now) ? State.COUNTED : State.UNKNOWN;
        return new CountedNode(now.version(), pool, state, state == State.COUNTED ? counts(now) : List.of());
    }

    private static boolean isKnown(NodeUse use) {
        return use.isModelled() && !use.node().constraints().allocatable().isEmpty();
    }

    private static boolean isClosed(NodeConstraints node) {
        return node.unschedulable() || !node.ready().orElse(true);
    }

    private List<NodeCount> counts(NodeUse use) {
        GroupNode node = now(use);
        return references.on(use).stream()
                .map(reference -> counter(reference).count(node))
                .toList();
    }

    static GroupNode now(NodeUse use) {
        return GroupNode.now(use, any -> false);
    }

    private ReferenceCounter counter(ReferencePod reference) {
        return counters.computeIfAbsent(reference, ReferenceCounter::new);
    }

    private void put(String name, CountedNode node) {
        CountedNode before = nodes.put(name, node);
        if (before != null) {
            remove(before);
        }
        states.merge(node.state(), 1, Integer::sum);
        node.counts()
                .forEach(count -> sums.computeIfAbsent(key(node, count), any -> new StrandedSum())
                        .add(count, 1));
    }

    private void remove(CountedNode node) {
        states.merge(node.state(), -1, Integer::sum);
        node.counts()
                .forEach(count -> sums.computeIfPresent(key(node, count), (any, sum) -> {
                    sum.add(count, -1);
                    return sum.isEmpty() ? null : sum;
                }));
    }

    private static Key key(CountedNode node, NodeCount count) {
        return new Key(count.reference().name(), node.pool());
    }

    private StrandedReport report(boolean complete) {
        return new StrandedReport(
                sums.entrySet().stream()
                        .map(each -> each.getValue()
                                .row(each.getKey().reference(), each.getKey().pool()))
                        .toList(),
                states.getOrDefault(State.COUNTED, 0),
                states.getOrDefault(State.UNKNOWN, 0),
                states.getOrDefault(State.CLOSED, 0),
                complete);
    }

    /** The size by which a node is counted; absent if it has none of this name. */
    synchronized Optional<ReferencePod> reference(String node, String reference) {
        return Optional.ofNullable(nodes.get(node)).stream()
                .flatMap(counted -> counted.counts().stream())
                .map(NodeCount::reference)
                .filter(each -> each.name().equals(reference))
                .findFirst();
    }

    /** The nodes on which room for a reference pod is stranded, those with the most first. */
    public synchronized List<NodeRow> nodes(String reference) {
        return nodes.entrySet().stream()
                .flatMap(each -> each.getValue().counts().stream()
                        .filter(count -> count.reference().name().equals(reference) && count.stranded() > 0)
                        .map(count -> new NodeRow(each.getKey(), each.getValue().pool(), count)))
                .sorted(Comparator.comparingInt((NodeRow row) -> -row.count().stranded())
                        .thenComparing(NodeRow::node))
                .toList();
    }
}
