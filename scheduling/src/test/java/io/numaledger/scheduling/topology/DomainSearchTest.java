package io.numaledger.scheduling.topology;

import io.numaledger.scheduling.topology.TopologyRequest.Slices;
import io.numaledger.scheduling.topology.TopologyRequest.Strategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class DomainSearchTest {

    private static final TopologyLevels LEVELS = TopologyLevels.ofLabels(List.of("block", "rack"));
    private static final OptionalInt NONE = OptionalInt.empty();
    private static final OptionalInt BLOCK = OptionalInt.of(0);
    private static final OptionalInt RACK = OptionalInt.of(1);

    private final SortedMap<String, SortedMap<String, String>> labels = new TreeMap<>();
    private final Map<String, Integer> room = new HashMap<>();

    /** Nodes such as {@code a1x 2}: block a, rack 1, and room for two pods. */
    private DomainSearch search(TopologyRequest request, String nodes) {
        for (String node : nodes.split(", ")) {
            String name = node.split(" ")[0];
            labels.put(name, new TreeMap<>(Map.of("block", name.substring(0, 1), "rack", name.substring(1, 2))));
            room.put(name, Integer.parseInt(node.split(" ")[1]));
        }
        return search(request);
    }

    private DomainSearch search(TopologyRequest request) {
        return new DomainSearch(DomainTree.of(LEVELS, labels), request, node -> room.getOrDefault(node, 0));
    }

    private static TopologyRequest request(OptionalInt required, OptionalInt preferred) {
        return new TopologyRequest(LEVELS, required, preferred, Optional.empty(), Strategy.PACK);
    }

    private static String text(Optional<Map<String, Integer>> found) {
        return found.map(byNode -> byNode.entrySet().stream()
                        .map(each -> each.getKey() + " " + each.getValue())
                        .collect(Collectors.joining(", ")))
                .orElse("-");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the tightest rack of all that suffice    | rack  | -    | a1x 4, a1y 4, b1x 3, b1y 2, b2x 4    | 4 | b2x 4
            the first of equally tight ones          | rack  | -    | a1x 4, a2x 4                         | 4 | a1x 4
            no rack suffices                         | rack  | -    | a1x 3, a2x 3                         | 4 | -
            few racks of the tightest block          | block | -    | a1x 2, a2x 2, a3x 2, b1x 3, b2x 1    | 4 | b1x 3, b2x 1
            a preferred rack                         | block | rack | a1x 3, a2x 4, b1x 5                  | 4 | a2x 4
            no preferred rack, so a block            | block | rack | a1x 3, a2x 2, b1x 3                  | 4 | a1x 3, a2x 1
            no preferred rack, so few blocks         | -     | rack | a1x 2, b1x 1, b2x 1, c1x 2, c2x 1    | 5 | a1x 2, c1x 2, c2x 1
            few nodes, and the last one the tightest | rack  | -    | a1x 4, a1y 2, a1z 1                  | 5 | a1x 4, a1z 1
            anywhere                                 | -     | -    | a1x 1, b1x 3                         | 3 | b1x 3
            """)
    void choosesDomains(String situation, String required, String preferred, String nodes, int pods, String expected) {
        TopologyRequest request = request(level(required), level(preferred));

        assertThat(text(search(request, nodes).find(pods, 0))).isEqualTo(expected);
    }

    private static OptionalInt level(String name) {
        return LEVELS.find(name);
    }

    @Test
    void spreadsEvenlyOverManyDomains() {
        TopologyRequest request = new TopologyRequest(LEVELS, BLOCK, NONE, Optional.empty(), Strategy.SPREAD);

        assertThat(text(search(request, "a1x 9, b1x 4, b1y 4, b2x 1, b3x 4").find(6, 0)))
                .as("the block with the most room")
                .isEqualTo("b1x 2, b1y 1, b2x 1, b3x 2");
    }

    /** By node-level requests, rack a1 takes two slices of two. */
    @Test
    void slicesAreNotDivided() {
        TopologyRequest request =
                new TopologyRequest(LEVELS, BLOCK, NONE, Optional.of(new Slices(2, 1)), Strategy.PACK);

        assertThat(text(search(request, "a1x 3, a2x 3").find(6, 0))).isEqualTo("-");
        assertThat(search(request).most(0)).as("one slice has one pod").isEqualTo(5);
        assertThat(text(search(request).find(5, 0))).isEqualTo("a2x 2, a1x 3");
        assertThat(text(search(request).find(4, 0))).isEqualTo("a1x 2, a2x 2");
    }

    @Test
    void nodesWithoutOneOfTheLabelsAreNotUsed() {
        labels.put("z", new TreeMap<>(Map.of("rack", "1")));
        room.put("z", 5);

        assertThat(search(request(NONE, NONE), "a1x 2").most(0)).isEqualTo(2);
    }

    @Test
    void podsThatRunAlreadyDecideOnTheDomain() {
        DomainSearch search = search(request(RACK, NONE), "a1x 4, a2x 1, a2y 1");
        int rack = DomainTree.of(LEVELS, labels).domainOf("a2x", 2).orElseThrow();

        assertThat(text(search.find(2, rack))).isEqualTo("a2x 1, a2y 1");
        assertThat(search.most(rack)).isEqualTo(2);
    }

    static LongStream seeds() {
        return LongStream.range(0, 400);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithTryingEveryDivision(long seed) {
        Random random = new Random(seed);
        int nodes = 1 + random.nextInt(6);
        for (int i = 0; i < nodes; i++) {
            labels.put("n" + i, new TreeMap<>(Map.of("block", "" + random.nextInt(2), "rack", "" + random.nextInt(3))));
            room.put("n" + i, random.nextInt(5));
        }
        OptionalInt required = List.of(NONE, BLOCK, RACK).get(random.nextInt(3));
        OptionalInt preferred = random.nextBoolean() ? NONE : required.equals(NONE) ? BLOCK : RACK;
        Optional<Slices> slices =
                random.nextBoolean() ? Optional.empty() : Optional.of(new Slices(1 + random.nextInt(3), 1));
        Strategy strategy = random.nextInt(4) == 0 ? Strategy.SPREAD : Strategy.PACK;
        TopologyRequest request = new TopologyRequest(LEVELS, required, preferred, slices, strategy);
        int pods = 1 + random.nextInt(8);
        List<Map<String, Integer>> allowed = allowed(request, pods);

        DomainSearch search = search(request);
        Optional<Map<String, Integer>> found = search.find(pods, 0);

        assertThat(found.isPresent()).isEqualTo(!allowed.isEmpty());
        assertThat(search.most(0) >= pods).isEqualTo(!allowed.isEmpty());
        if (found.isPresent()) {
            assertThat(allowed).contains(found.get());
            int narrowest = strategy == Strategy.SPREAD || preferred.isEmpty() ? 0 : preferred.getAsInt() + 1;
            int level = allowed.stream()
                    .mapToInt(each -> narrowest(each, narrowest))
                    .max()
                    .orElseThrow();
            assertThat(narrowest(found.get(), narrowest))
                    .as("as narrow as possible")
                    .isEqualTo(level);
            assertSlicesStayTogether(request, found.get());
            if (strategy == Strategy.PACK) {
                String own = name(first(found.get()), level);
                int fewest = allowed.stream()
                        .filter(each -> narrowest(each, narrowest) >= level
                                && name(first(each), level).equals(own))
                        .mapToInt(each -> names(each, level + 1).size())
                        .min()
                        .orElseThrow();
                assertThat(names(found.get(), level + 1)).as("few domains").hasSize(fewest);
            }
        }
    }

    /** All divisions of the pods that respect the required level and the slices. */
    private List<Map<String, Integer>> allowed(TopologyRequest request, int pods) {
        List<Map<String, Integer>> allowed = new ArrayList<>();
        divide(List.copyOf(labels.keySet()), 0, pods, new LinkedHashMap<>(), byNode -> {
            boolean inOne = names(byNode, request.requiredDepth()).size() == 1;
            if (inOne
                    && request.slices()
                            .map(each -> keepsWhole(byNode, each, pods))
                            .orElse(true)) {
                allowed.add(Map.copyOf(byNode));
            }
        });
        return allowed;
    }

    private void divide(
            List<String> nodes, int at, int left, Map<String, Integer> byNode, Consumer<Map<String, Integer>> each) {
        if (at == nodes.size()) {
            if (left == 0) {
                each.accept(byNode);
            }
            return;
        }
        for (int count = 0; count <= Math.min(left, room.get(nodes.get(at))); count++) {
            if (count > 0) {
                byNode.put(nodes.get(at), count);
            }
            divide(nodes, at + 1, left - count, byNode, each);
            byNode.remove(nodes.get(at));
        }
    }

    /** All slices are whole, except for one. */
    private boolean keepsWhole(Map<String, Integer> byNode, Slices slices, int pods) {
        Map<String, Integer> byDomain = new TreeMap<>();
        byNode.forEach((node, count) -> byDomain.merge(name(node, slices.level() + 1), count, Integer::sum));
        List<Integer> rests = byDomain.values().stream()
                .map(count -> count % slices.size())
                .filter(rest -> rest > 0)
                .toList();
        return pods % slices.size() == 0 ? rests.isEmpty() : rests.equals(List.of(pods % slices.size()));
    }

    /** In the order in which they are found, pods of one slice are in one domain. */
    private void assertSlicesStayTogether(TopologyRequest request, Map<String, Integer> byNode) {
        request.slices().ifPresent(slices -> {
            List<String> domains = new ArrayList<>();
            byNode.forEach((node, count) -> {
                for (int i = 0; i < count; i++) {
                    domains.add(name(node, slices.level() + 1));
                }
            });
            for (int i = 0; i < domains.size(); i++) {
                assertThat(domains.get(i)).isEqualTo(domains.get(i - i % slices.size()));
            }
        });
    }

    /** The deepest level of which one domain has all the pods, up to this one. */
    private int narrowest(Map<String, Integer> byNode, int most) {
        int depth = most;
        while (depth > 0 && names(byNode, depth).size() > 1) {
            depth--;
        }
        return depth;
    }

    private TreeSet<String> names(Map<String, Integer> byNode, int depth) {
        return byNode.keySet().stream().map(node -> name(node, depth)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String first(Map<String, Integer> byNode) {
        return byNode.keySet().iterator().next();
    }

    private String name(String node, int depth) {
        SortedMap<String, String> own = labels.getOrDefault(node, new TreeMap<>());
        return switch (depth) {
            case 0 -> "";
            case 1 -> own.getOrDefault("block", "");
            case 2 -> own.get("block") + "." + own.get("rack");
            default -> node;
        };
    }
}
