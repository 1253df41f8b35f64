package io.numaledger.scheduling.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.stream.IntStream;

/**
 * The domains of a topology, and their nodes. Domains have numbers: 0 is the cluster, and every domain comes before the domains and nodes in
 * it, which are sorted by name. The cluster has depth 0, the outermost level 1, and nodes are beneath the innermost level. Nodes that miss a
 * label are left out. Immutable.
 */
public final class DomainTree {

    private static final Comparator<Leaf> BY_PATH = (one, other) -> {
        for (int i = 0; i < one.path().size(); i++) {
            int compared = one.path().get(i).compareTo(other.path().get(i));
            if (compared != 0) {
                return compared;
            }
        }
        return one.node().compareTo(other.node());
    };

    private final int levels;
    private final List<String> names = new ArrayList<>();
    private final int[] depths;
    private final int[] parents;
    private final int[] ends;
    private final Map<String, Integer> numbers = new HashMap<>();

    /** @param path the values of the levels' labels, the outermost first */
    private record Leaf(List<String> path, String node) {}

    private DomainTree(int levels, List<Leaf> leaves) {
        this.levels = levels;
        List<Integer> depth = new ArrayList<>(List.of(0));
        List<Integer> parent = new ArrayList<>(List.of(0));
        names.add("");
        int[] open = new int[levels + 1];
        List<String> before = List.of();
        for (Leaf leaf : leaves) {
            for (int level = common(before, leaf.path()); level < levels; level++) {
                open[level + 1] = names.size();
                add(depth, level + 1, parent, open[level]);
                names.add(String.join(".", leaf.path().subList(0, level + 1)));
            }
            numbers.put(leaf.node(), names.size());
            add(depth, levels + 1, parent, open[levels]);
            names.add(leaf.node());
            before = leaf.path();
        }
        this.depths = depth.stream().mapToInt(Integer::intValue).toArray();
        this.parents = parent.stream().mapToInt(Integer::intValue).toArray();
        this.ends = IntStream.rangeClosed(1, depths.length).toArray();
        for (int i = depths.length - 1; i > 0; i--) {
            ends[parents[i]] = Math.max(ends[parents[i]], ends[i]);
        }
    }

    private static void add(List<Integer> depths, int depth, List<Integer> parents, int parent) {
        depths.add(depth);
        parents.add(parent);
    }

    /** How many levels two paths have in common, from the outermost on. */
    private static int common(List<String> one, List<String> other) {
        int common = 0;
        while (common < one.size() && one.get(common).equals(other.get(common))) {
            common++;
        }
        return common;
    }

    /** @param labels node → its labels */
    public static DomainTree of(TopologyLevels levels, Map<String, SortedMap<String, String>> labels) {
        List<String> keys = levels.labels();
        List<Leaf> leaves = new ArrayList<>(labels.size());
        labels.forEach((node, own) -> path(keys, own).ifPresent(path -> leaves.add(new Leaf(path, node))));
        leaves.sort(BY_PATH);
        return new DomainTree(keys.size(), leaves);
    }

    private static Optional<List<String>> path(List<String> keys, SortedMap<String, String> labels) {
        List<String> path = new ArrayList<>(keys.size());
        for (String key : keys) {
            String value = labels.get(key);
            if (value == null || value.isEmpty()) {
                return Optional.empty();
            }
            path.add(value);
        }
        return Optional.of(path);
    }

    int size() {
        return depths.length;
    }

    int depth(int domain) {
        return depths[domain];
    }

    int parent(int domain) {
        return parents[domain];
    }

    boolean isNode(int domain) {
        return depths[domain] == levels + 1;
    }

    /** The values of its labels joined by {@code .}, or the name of a node. */
    public String name(int domain) {
        return names.get(domain);
    }

    /** The domains, or the nodes, one level beneath this one. */
    List<Integer> children(int domain) {
        List<Integer> children = new ArrayList<>();
        for (int child = domain + 1; child < ends[domain]; child = ends[child]) {
            children.add(child);
        }
        return children;
    }

    /** All domains of a depth in this domain, and the domain itself if it has the depth. */
    public List<Integer> atDepth(int depth, int within) {
        return IntStream.range(within, ends[within])
                .filter(each -> depths[each] == depth)
                .boxed()
                .toList();
    }

    /** The nodes in a domain. */
    public List<String> nodes(int domain) {
        return atDepth(levels + 1, domain).stream().map(this::name).toList();
    }

    /** The domain of this depth that has a node; absent if the node misses a label. */
    public OptionalInt domainOf(String node, int depth) {
        Integer found = numbers.get(node);
        if (found == null) {
            return OptionalInt.empty();
        }
        int domain = found;
        while (depths[domain] > depth) {
            domain = parents[domain];
        }
        return OptionalInt.of(domain);
    }

    /** The name of the innermost domain that has a node; absent if the node misses a label. */
    public Optional<String> domainName(String node) {
        OptionalInt domain = domainOf(node, levels);
        return domain.isPresent() ? Optional.of(name(domain.getAsInt())) : Optional.empty();
    }

    /** The order of a node: nodes of one domain are next to each other. Nodes that miss a label come last. */
    public int order(String node) {
        return numbers.getOrDefault(node, Integer.MAX_VALUE);
    }
}
