package io.numaledger.scheduling.topology;

import io.numaledger.scheduling.topology.TopologyRequest.Slices;
import io.numaledger.scheduling.topology.TopologyRequest.Strategy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Chooses domains for equal pods. The numbers of pods that nodes take are summed upward. A domain is chosen whole, or not: the
 * tightest of the narrowest level that suffices. Within it, each level uses the fewest domains, and the last one is the tightest that
 * suffices for the rest. Equals are chosen by name. Immutable.
 */
public final class DomainSearch {

    private final DomainTree tree;
    private final TopologyRequest request;
    private final int sliceSize;

    /** Domain → how many pods it takes. */
    private final int[] pods;

    /** Domain of the slices' level or above → how many whole slices it takes. */
    private final int[] slices;

    /** Domain of the slices' level or above → how many pods one of the slices' domains takes beside its whole slices, at most. */
    private final int[] rest;

    /** @param room how many of the pods a node takes */
    public DomainSearch(DomainTree tree, TopologyRequest request, ToIntFunction<String> room) {
        this.tree = tree;
        this.request = request;
        this.sliceSize = request.slices().map(Slices::size).orElse(1);
        this.pods = new int[tree.size()];
        this.slices = new int[tree.size()];
        this.rest = new int[tree.size()];
        for (int domain = tree.size() - 1; domain >= 0; domain--) {
            if (tree.isNode(domain)) {
                pods[domain] = room.applyAsInt(tree.name(domain));
            }
            if (tree.depth(domain) == request.sliceDepth()) {
                slices[domain] = pods[domain] / sliceSize;
                rest[domain] = pods[domain] % sliceSize;
            }
            if (domain > 0) {
                int parent = tree.parent(domain);
                pods[parent] += pods[domain];
                slices[parent] += slices[domain];
                rest[parent] = Math.max(rest[parent], rest[domain]);
            }
        }
    }

    /** Whether slices have to be kept together within it. */
    private boolean hasSlices(int domain) {
        return tree.depth(domain) < request.sliceDepth();
    }

    private int room(int domain) {
        return hasSlices(domain) ? slices[domain] * sliceSize + rest[domain] : pods[domain];
    }

    private boolean fits(int domain, int count) {
        if (!hasSlices(domain)) {
            return pods[domain] >= count;
        }
        return slices[domain] >= slicesOf(count)
                || (slices[domain] == count / sliceSize && rest[domain] >= count % sliceSize);
    }

    /** The number of slices of so many pods; the last slice may be smaller. */
    private int slicesOf(int count) {
        return (count + sliceSize - 1) / sliceSize;
    }

    /**
     * How many pods could run in one domain of the required level.
     *
     * @param within the number of the domain in which they have to run
     */
    public int most(int within) {
        return outermost(within).mapToInt(this::room).max().orElse(0);
    }

    private Stream<Integer> outermost(int within) {
        return tree.atDepth(Math.max(request.requiredDepth(), tree.depth(within)), within).stream();
    }

    /** The domains of the required level, those with the most room first. */
    public Stream<Integer> roomiest(int within) {
        return outermost(within).sorted(Comparator.comparingInt(domain -> -room(domain)));
    }

    /** The domains that take all the pods, the best first: of the narrowest level, and of this level the tightest. */
    public Stream<Integer> fitting(int count, int within) {
        int outermost = Math.max(request.requiredDepth(), tree.depth(within));
        int narrowest = request.strategy() == Strategy.PACK ? Math.max(outermost, request.preferredDepth()) : outermost;
        Comparator<Integer> tightest = Comparator.comparingInt(this::room);
        return IntStream.iterate(narrowest, depth -> depth >= outermost, depth -> depth - 1)
                .mapToObj(depth -> tree.atDepth(depth, within).stream()
                        .filter(domain -> fits(domain, count))
                        .sorted(request.strategy() == Strategy.PACK ? tightest : tightest.reversed()))
                .flatMap(each -> each);
    }

    /**
     * How many pods run on each node, in the order of the domains; absent if they do not fit. Slices are next to each other in this order, and
     * one that is not whole comes last.
     *
     * @param within the number of the domain in which they have to run
     */
    public Optional<Map<String, Integer>> find(int count, int within) {
        return fitting(count, within).findFirst().map(domain -> {
            Map<String, Integer> byNode = new LinkedHashMap<>();
            divide(domain, count, byNode);
            return byNode;
        });
    }

    private void divide(int domain, int count, Map<String, Integer> byNode) {
        if (tree.isNode(domain)) {
            byNode.put(tree.name(domain), count);
            return;
        }
        List<Integer> children = tree.children(domain);
        if (!hasSlices(domain)) {
            int[] parts = parts(children, pods, count);
            for (int i = 0; i < parts.length; i++) {
                divideIfAny(children.get(i), parts[i], byNode);
            }
        } else if (slices[domain] >= slicesOf(count)) {
            int left = count;
            int[] parts = parts(children, slices, slicesOf(count));
            for (int i = 0; i < parts.length; i++) {
                int part = Math.min(left, parts[i] * sliceSize);
                divideIfAny(children.get(i), part, byNode);
                left -= part;
            }
        } else {
            divideAll(children, count, byNode);
        }
    }

    private void divideIfAny(int domain, int count, Map<String, Integer> byNode) {
        if (count > 0) {
            divide(domain, count, byNode);
        }
    }

    /** Each domain gets whole slices; one also gets the remainder. */
    private void divideAll(List<Integer> children, int count, Map<String, Integer> byNode) {
        int partial = count % sliceSize;
        int last = children.stream()
                .filter(child -> rest[child] >= partial)
                .min(Comparator.comparingInt(child -> rest[child]))
                .orElseThrow();
        children.stream()
                .filter(child -> child != last)
                .forEach(child -> divideIfAny(child, slices[child] * sliceSize, byNode));
        divide(last, slices[last] * sliceSize + partial, byNode);
    }

    private int[] parts(List<Integer> children, int[] room, int wanted) {
        int[] rooms = children.stream().mapToInt(child -> room[child]).toArray();
        return request.strategy() == Strategy.PACK ? packed(rooms, wanted) : spread(rooms, wanted);
    }

    private static int[] packed(int[] rooms, int wanted) {
        int[] parts = new int[rooms.length];
        int left = wanted;
        while (left > 0) {
            int rest = left;
            int next = first(rooms, parts, i -> rooms[i] >= rest ? rooms[i] : Integer.MAX_VALUE)
                    .orElseGet(() -> first(rooms, parts, i -> -rooms[i]).orElseThrow());
            parts[next] = Math.min(left, rooms[next]);
            left -= parts[next];
        }
        return parts;
    }

    /** The first unused domain with the least rank; absent if all have the highest possible rank. */
    private static OptionalInt first(int[] rooms, int[] parts, ToIntFunction<Integer> rank) {
        int best = -1;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < rooms.length; i++) {
            if (parts[i] == 0 && rooms[i] > 0 && rank.applyAsInt(i) < least) {
                best = i;
                least = rank.applyAsInt(i);
            }
        }
        return best < 0 ? OptionalInt.empty() : OptionalInt.of(best);
    }

    /** The parts of the domains: pods go one after the other to the domain that has the fewest, and of those to the one with the most room. */
    private static int[] spread(int[] rooms, int wanted) {
        int[] parts = new int[rooms.length];
        List<Integer> open = new ArrayList<>(IntStream.range(0, rooms.length)
                .filter(i -> rooms[i] > 0)
                .boxed()
                .toList());
        open.sort(Comparator.comparingInt((Integer i) -> -rooms[i]));
        for (int left = wanted; left > 0; ) {
            for (int i : List.copyOf(open)) {
                if (left > 0) {
                    parts[i]++;
                    left--;
                }
            }
            open.removeIf(i -> parts[i] == rooms[i]);
        }
        return parts;
    }
}
