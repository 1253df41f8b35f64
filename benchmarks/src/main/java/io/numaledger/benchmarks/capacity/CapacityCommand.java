package io.numaledger.benchmarks.capacity;

import io.numaledger.benchmarks.capacity.CapacityRun.PodRule;
import io.numaledger.benchmarks.capacity.CapacityRun.Rules;
import io.numaledger.benchmarks.churn.ChurnMix;
import io.numaledger.benchmarks.figures.Output;
import io.numaledger.benchmarks.figures.Percentiles;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static io.numaledger.evaluation.score.ScoringCriterion.FewestZones;
import static io.numaledger.evaluation.score.ScoringCriterion.LeastFragmentation;

/** {@code bench capacity}: how many pods run under different rules. */
@Command(
        name = "capacity",
        description =
                "Runs the churn mixes simple and devices in simulated time on kubelet models, with many seeds and "
                        + "different rules for the order of waiting pods and the choice of a node. Prints one line for each set of rules: "
                        + "the pods that ran, and the difference from the bridge's defaults with its standard error.",
        mixinStandardHelpOptions = true)
public final class CapacityCommand implements Callable<Integer> {

    private static final Duration HOLD = Duration.ofSeconds(2);

    private enum Mix {
        SIMPLE,
        DEVICES;

        ChurnMix of(long seed) {
            return this == SIMPLE ? ChurnMix.simple(seed) : ChurnMix.devices(seed);
        }
    }

    @Parameters(paramLabel = "MIX", arity = "0..*", description = "simple or devices")
    private List<Mix> mixes = List.of(Mix.values());

    @Option(names = "--seeds", paramLabel = "N", description = "runs of each set of rules")
    private int seeds = 50;

    @Option(
            names = "--samples",
            paramLabel = "N",
            split = ",",
            showDefaultValue = Visibility.NEVER,
            description =
                    "compare the best of all nodes with the best of so many nodes with enough free CPUs, instead of other rules; "
                            + "without reservations for older pods")
    private List<Integer> samples = List.of();

    @Option(
            names = "--copies",
            paramLabel = "N",
            description = "so many times the nodes and the pods in one cluster, with different seeds")
    private int copies = 1;

    @Mixin
    private Output out;

    @Override
    public Integer call() {
        mixes.forEach(this::compare);
        return 0;
    }

    private void compare(Mix mix) {
        Rules defaults = samples.isEmpty() ? defaults() : defaults().withSample(0);
        List<List<Long>> ofDefaults = runs(mix, defaults);
        print(mix, "defaults", ofDefaults, ofDefaults);
        Map<String, Rules> others = new LinkedHashMap<>();
        samples.forEach(sample -> others.put("sample=" + sample, defaults.withSample(sample)));
        (samples.isEmpty() ? others() : others)
                .forEach((name, rules) -> print(mix, name, runs(mix, rules), ofDefaults));
    }

    private static Rules defaults() {
        return rules(
                NodeRule.criteria(Strategy.LeastAllocated, FewestZones, LeastFragmentation, ScoringCriterion.Strategy));
    }

    private static Rules rules(NodeRule nodes) {
        return new Rules(PodRule.OLDEST, nodes, HOLD, Duration.ZERO, 0);
    }

    /** Name → rules that differ from the defaults in one point, or in two. */
    private static Map<String, Rules> others() {
        Rules defaults = defaults();
        Map<String, NodeRule> nodes = new LinkedHashMap<>();
        nodes.put("emptiest-node", (node, change) -> 0);
        nodes.put("fullest-node", NodeRule.fullestNode());
        nodes.put("whole-zones,defaults", NodeRule.wholeZones(defaults.nodes()));
        nodes.put("whole-zones,fullest-node", NodeRule.wholeZones(NodeRule.fullestNode()));
        for (Strategy strategy : List.of(Strategy.MostAllocated, Strategy.BalancedAllocation)) {
            nodes.put(
                    "FewestZones,LeastFragmentation," + strategy,
                    NodeRule.criteria(strategy, FewestZones, LeastFragmentation, ScoringCriterion.Strategy));
        }
        for (Strategy strategy : Strategy.values()) {
            nodes.put("FewestZones," + strategy, NodeRule.criteria(strategy, FewestZones, ScoringCriterion.Strategy));
        }
        Map<String, Rules> rules = new LinkedHashMap<>();
        nodes.forEach((name, rule) -> rules.put(name, rules(rule)));
        for (Duration hold : List.of(HOLD, Duration.ZERO)) {
            String suffix = hold.isZero() ? ",no-hold" : "";
            for (PodRule pods : List.of(PodRule.LARGEST, PodRule.SMALLEST)) {
                rules.put("order=" + pods + suffix, new Rules(pods, defaults.nodes(), hold, Duration.ZERO, 0));
            }
            rules.put(
                    "backoff=2s" + suffix, new Rules(PodRule.OLDEST, defaults.nodes(), hold, Duration.ofSeconds(2), 0));
        }
        return rules;
    }

    /** The waits of the pods that ran, seed by seed. */
    private List<List<Long>> runs(Mix mix, Rules rules) {
        return LongStream.range(0, seeds)
                .mapToObj(seed -> new CapacityRun(mixes(mix, ChurnMix.SEED + seed * copies), rules).run())
                .toList();
    }

    private List<ChurnMix> mixes(Mix mix, long firstSeed) {
        return LongStream.range(firstSeed, firstSeed + copies).mapToObj(mix::of).toList();
    }

    private void print(Mix mix, String name, List<List<Long>> runs, List<List<Long>> ofDefaults) {
        Percentiles waits = Percentiles.of(runs.stream().flatMap(List::stream).mapToLong(Long::longValue));
        double[] differences = IntStream.range(0, seeds)
                .mapToDouble(
                        seed -> runs.get(seed).size() - ofDefaults.get(seed).size())
                .toArray();
        double mean = Arrays.stream(differences).average().orElseThrow();
        double squares = Arrays.stream(differences)
                .map(difference -> Math.pow(difference - mean, 2))
                .sum();
        double error = Math.sqrt(squares / Math.max(1, seeds - 1) / seeds);
        int first = runs.get(0).size();
        out.measured("mix=%s rules=%s ran_first_seed=%d ".formatted(mix.of(0).name(), name, first)
                + "ran_mean=%.1f difference=%+.1f±%.1f ".formatted((double) waits.count() / seeds, mean, error)
                + "wait_ms_p50_p90_p99=%s".formatted(waits.text(50, 90, 99)));
    }
}
