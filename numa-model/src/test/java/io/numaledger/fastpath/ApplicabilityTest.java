package io.numaledger.fastpath;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Wherever the fast path decides, the full model agrees: verdict, zones, amounts, and the details of a refusal. */
class ApplicabilityTest {

    private final ResourceIndex index = new ResourceIndex();
    private final FastPathEvaluator evaluator = new FastPathEvaluator();

    static LongStream seeds() {
        return LongStream.range(0, 10_000);
    }

    static LongStream fewerSeeds() {
        return LongStream.range(0, 2000);
    }

    static LongStream fewSeeds() {
        return LongStream.range(0, 300);
    }

    /**
     * A pod that arrives at a random node.
     *
     * @param after the node's state with the containers started
     */
    private record Arrival(KubeletModel model, NodeState before, PodRequest pod, Decision decision, NodeState after) {}

    private static List<Arrival> arrivals(long seed) {
        Random random = new Random(seed);
        return arrivals(new RandomNode(random), random);
    }

    /** Pods that arrive at a random node, while others end. */
    private static List<Arrival> arrivals(RandomNode node, Random random) {
        KubeletModel model = node.model();
        List<Arrival> arrivals = new ArrayList<>();
        NodeState state = model.empty();
        for (int i = 0; i < 14; i++) {
            PodRequest pod = node.randomPod("p" + i, random);
            Decision decision = model.admit(state, pod);
            NodeState after = model.started(decision.state(), pod);
            arrivals.add(new Arrival(model, state, pod, decision, after));
            state = model.removeStaleState(after);
            if (random.nextInt(3) == 0) {
                state = model.removeStaleState(model.ended(state, "p" + random.nextInt(i + 1)));
            }
        }
        return arrivals;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTheFullModel(long seed) {
        List<Arrival> arrivals = arrivals(seed);
        FastPath fastPath = new FastPath(arrivals.get(0).model());
        for (Arrival arrival : arrivals) {
            fastPath.decide(arrival).ifPresent(decided -> compare(fastPath, arrival, decided));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fewSeeds")
    void agreesWithTheFullModelOnManyZones(long seed) {
        Random random = new Random(seed);
        List<Arrival> arrivals = arrivals(RandomNode.ofManyZones(random), random);
        FastPath fastPath = new FastPath(arrivals.get(0).model());
        for (Arrival arrival : arrivals) {
            fastPath.decide(arrival).ifPresent(decided -> compare(fastPath, arrival, decided));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fewerSeeds")
    void namesOfPodsDoNotChangeDecisions(long seed) {
        for (Arrival arrival : arrivals(seed)) {
            KubeletModel model = arrival.model();
            ZoneTable table = ZoneTable.of(model);
            Admission admission = arrival.decision().admission();
            Decision anonymous = model.admit(arrival.before().anonymous(), arrival.pod());
            assertThat(anonymous.admission().getClass()).isEqualTo(admission.getClass());
            assertThat(anonymous.admission().refused().map(Refusal::reason))
                    .isEqualTo(admission.refused().map(Refusal::reason));
            assertThat(anonymous.admission().refused().map(refusal -> withoutHolders(refusal.resources())))
                    .isEqualTo(admission.refused().map(refusal -> withoutHolders(refusal.resources())));
            assertThat(table.free(model.started(anonymous.state(), arrival.pod())))
                    .isEqualTo(table.free(arrival.after()));
        }
    }

    /** Without this, the fast path could leave a whole class of pods to the full model and no other test would fail. */
    @Test
    void decidesEveryKindOfCase() {
        Map<Case, Integer> decided = new EnumMap<>(Case.class);
        int asked = 0;
        for (long seed : fewerSeeds().toArray()) {
            List<Arrival> arrivals = arrivals(seed);
            FastPath fastPath = new FastPath(arrivals.get(0).model());
            for (Arrival arrival : arrivals) {
                asked++;
                fastPath.decide(arrival).ifPresent(result -> {
                    for (Case each : Case.values()) {
                        decided.merge(each, each.applies(arrival, result) ? 1 : 0, Integer::sum);
                    }
                });
            }
        }
        assertThat(decided.get(Case.DECIDED)).isGreaterThan(asked / 5);
        assertThat(decided.get(Case.REFUSED)).isGreaterThan(asked / 20);
        assertThat(decided)
                .allSatisfy((each, count) -> assertThat(count).as(each.name()).isPositive());
    }

    /** Kinds of cases that the fast path decides. */
    private enum Case {
        DECIDED,
        REFUSED,
        POLICY_NONE,
        SEVERAL_ZONES,
        SEVERAL_ZONES_PER_SOCKET,
        MEMORY_GROUPS,
        UNZONED_DEVICES,
        PARTLY_RESERVED_CORE,
        NOT_FULL_CORES,
        INSUFFICIENT_MEMORY,
        REUSE_ADMITTED,
        REUSE_REFUSED;

        boolean applies(Arrival arrival, Decided decided) {
            boolean none = arrival.model().rules().topologyPolicy() == TopologyPolicyName.NONE;
            boolean admitted = decided.verdict() == Verdict.ADMITTED;
            return switch (this) {
                case DECIDED -> true;
                case REFUSED -> decided.verdict().isRefused();
                case POLICY_NONE -> none;
                case SEVERAL_ZONES -> Long.bitCount(decided.zones()) > 1;
                case SEVERAL_ZONES_PER_SOCKET ->
                    !none && !decided.pod().reuses && Long.bitCount(decided.zones()) <= 1 && !decided.exact();
                case MEMORY_GROUPS ->
                    arrival.before().memory().stream()
                            .flatMap(memory -> memory.nodes().values().stream())
                            .anyMatch(memory -> memory.cells().count() > 1);
                case UNZONED_DEVICES ->
                    arrival.pod().containers().get(0).resources().limits().containsKey(RandomNode.UNZONED)
                            && arrival.model().machine().devices().containsKey(RandomNode.UNZONED);
                case PARTLY_RESERVED_CORE -> reservesPartOfACore(arrival.model());
                case NOT_FULL_CORES -> decided.verdict() == Verdict.NOT_FULL_CORES;
                case INSUFFICIENT_MEMORY -> decided.verdict() == Verdict.INSUFFICIENT_MEMORY;
                case REUSE_ADMITTED -> decided.pod().reuses && admitted;
                case REUSE_REFUSED -> decided.pod().reuses && !admitted;
            };
        }

        private static boolean reservesPartOfACore(KubeletModel model) {
            return model.rules().has(CpuOption.FULL_PCPUS_ONLY)
                    && model.cpus()
                            .filter(cpus ->
                                    cpus.reserved().size() % cpus.topology().averageSize(Level.CORE) != 0)
                            .isPresent();
        }
    }

    /** A verdict of the fast path that is not undecided. */
    private record Decided(NodeCounts counts, CompiledPod pod, Verdict verdict, long zones, boolean exact) {}

    /** The fast path of one node. */
    private final class FastPath {

        private final ZoneTable table;
        private final Optional<FastPathModel> model;

        FastPath(KubeletModel kubelet) {
            this.table = ZoneTable.of(kubelet);
            this.model = FastPathModel.of(kubelet, table, index);
        }

        Optional<Decided> decide(Arrival arrival) {
            CompiledPod pod = CompiledPod.of(arrival.pod(), index);
            return model.flatMap(any -> any.counts(arrival.before(), table.free(arrival.before())))
                    .map(counts -> {
                        Verdict verdict = model.orElseThrow().evaluate(evaluator, counts, pod);
                        boolean exact = model.get().placesExactly(evaluator, pod);
                        return new Decided(counts, pod, verdict, evaluator.zones(), exact);
                    })
                    .filter(decided -> decided.verdict() != Verdict.UNDECIDED);
        }
    }

    private void compare(FastPath fastPath, Arrival arrival, Decided decided) {
        Admission admission = arrival.decision().admission();
        String pod = arrival.pod().toString();
        assertThat(decided.verdict() == Verdict.ADMITTED)
                .as("%s for %s", admission, pod)
                .isEqualTo(admission.isAdmitted());
        if (admission instanceof Admitted admitted) {
            if (Long.bitCount(decided.zones()) <= 1 || !arrival.model().rules().prefersClosestNumaNodes()) {
                compareZones(fastPath.table, decided.zones(), admitted);
            }
            if (decided.exact()) {
                comparePlacement(fastPath.table, arrival, decided);
            }
        } else {
            Refusal refusal = admission.refused().orElseThrow();
            assertThat(decided.verdict().reason()).as(pod).contains(refusal.reason());
            assertThat(fastPath.model
                            .orElseThrow()
                            .refusalDetails(evaluator, decided.counts(), decided.pod(), decided.verdict()))
                    .as(pod)
                    .isEqualTo(withoutHolders(refusal.resources()));
        }
    }

    private static void compareZones(ZoneTable table, long zones, Admitted admitted) {
        Optional<AffinityMask> last = admitted.hints()
                .pod()
                .or(() -> admitted.containers().isEmpty()
                        ? Optional.empty()
                        : Optional.ofNullable(admitted.hints()
                                .byContainer()
                                .get(admitted.containers()
                                        .get(admitted.containers().size() - 1)
                                        .name())))
                .flatMap(TopologyHint::mask);
        if (zones != 0 && table.zones() > 1) {
            assertThat(last).contains(table.mask(zones));
        }
    }

    private void comparePlacement(ZoneTable table, Arrival arrival, Decided decided) {
        long[] left = table.free(arrival.before());
        long[] taken = new long[left.length];
        evaluator.place(decided.counts(), decided.pod(), taken);
        for (int i = 0; i < left.length; i++) {
            left[i] -= taken[i];
        }
        assertThat(left).as("rows %s", table.resources()).isEqualTo(table.free(arrival.after()));
    }

    private static List<ResourceFit> withoutHolders(List<ResourceFit> fits) {
        return fits.stream()
                .map(fit -> new ResourceFit(
                        fit.resource(), fit.mask(), fit.need(), fit.free(), fit.widthWanted(), List.of()))
                .toList();
    }
}
