package io.numaledger.counts;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.answer.Refusal;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Wherever counts are said to suffice, the full model says the same: verdict, zones, amounts, and why not. */
class SufficiencyTest {

    /** What was proven → how often. */
    private static final SortedMap<String, Integer> CASES = new TreeMap<>();

    private static int asked;
    private static int proven;
    private static int refused;

    private final ResourceIndex index = new ResourceIndex();
    private final CountsEvaluator evaluator = new CountsEvaluator();

    static LongStream seeds() {
        return LongStream.range(0, 2000);
    }

    /** A pod whose init container has memory over several zones comes only now and then. */
    static LongStream moreSeeds() {
        return LongStream.range(0, 10_000);
    }

    /**
     * A pod that came to a random node.
     *
     * @param after with its containers started
     */
    private record Coming(KubeletModel model, NodeState before, PodRequest pod, Decision decision, NodeState after) {}

    /** Pods that come to a random node, while others go. */
    private static List<Coming> comings(long seed) {
        Random random = new Random(seed);
        RandomNode node = new RandomNode(random);
        KubeletModel model = node.model();
        List<Coming> comings = new ArrayList<>();
        NodeState state = model.empty();
        for (int i = 0; i < 14; i++) {
            PodRequest pod = node.randomPod("p" + i, random);
            Decision decision = model.admit(state, pod);
            NodeState after = model.started(decision.state(), pod);
            comings.add(new Coming(model, state, pod, decision, after));
            state = model.sweep(after);
            if (random.nextInt(3) == 0) {
                state = model.sweep(model.remove(state, "p" + random.nextInt(i + 1)));
            }
        }
        return comings;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("moreSeeds")
    void theFullModelSaysTheSame(long seed) {
        List<Coming> comings = comings(seed);
        KubeletModel model = comings.get(0).model();
        ZoneTable table = ZoneTable.of(model);
        Optional<CountsForm> form = CountsForm.of(model, table, index);
        for (Coming coming : comings) {
            asked++;
            compare(
                    form,
                    table,
                    model,
                    coming.before(),
                    coming.pod(),
                    coming.decision().admission(),
                    coming.after());
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whoHoldsWhatDecidesNothing(long seed) {
        for (Coming coming : comings(seed)) {
            KubeletModel model = coming.model();
            ZoneTable table = ZoneTable.of(model);
            Admission admission = coming.decision().admission();
            Decision anonymous = model.admit(coming.before().anonymous(), coming.pod());
            assertThat(anonymous.admission().getClass()).isEqualTo(admission.getClass());
            assertThat(anonymous.admission().refused().map(Refusal::reason))
                    .isEqualTo(admission.refused().map(Refusal::reason));
            assertThat(anonymous.admission().refused().map(refusal -> withoutHolders(refusal.why())))
                    .isEqualTo(admission.refused().map(refusal -> withoutHolders(refusal.why())));
            assertThat(table.free(model.started(anonymous.state(), coming.pod())))
                    .isEqualTo(table.free(coming.after()));
        }
    }

    private void compare(
            Optional<CountsForm> form,
            ZoneTable table,
            KubeletModel model,
            NodeState state,
            PodRequest pod,
            Admission admission,
            NodeState after) {
        long[] free = table.free(state);
        Optional<NodeCounts> counts = form.flatMap(any -> any.counts(state, free));
        if (counts.isEmpty()) {
            return;
        }
        PodAsk ask = PodAsk.of(pod, index);
        long verdict = form.orElseThrow().verdict(evaluator, counts.get(), ask);
        if (!form.get().suffices(evaluator, counts.get(), ask, verdict)) {
            return;
        }
        proven++;
        KubeletRules rules = model.rules();
        boolean none = rules.topologyPolicy() == TopologyPolicyName.NONE;
        count("reused", ask.reuses && verdict >= 0);
        count("not_reused", ask.reuses && verdict < 0);
        count(
                "placeless",
                pod.containers().get(0).resources().limits().containsKey(RandomNode.PLACELESS)
                        && model.machine().devices().containsKey(RandomNode.PLACELESS));
        count("part_of_a_core", reservesPartOfACore(model));
        count("none", none);
        count("in_sockets", !none && !ask.reuses && !form.get().placesExactly(ask, CountsEvaluator.ANYWHERE));
        count(
                "grouped",
                state.memory().stream()
                        .flatMap(memory -> memory.nodes().values().stream())
                        .anyMatch(memory -> memory.cells().count() > 1));
        assertThat(verdict >= 0).as("%s for %s", admission, pod).isEqualTo(admission.isAdmitted());
        if (admission instanceof Admitted admitted) {
            count("wide", Long.bitCount(verdict) > 1);
            if (Long.bitCount(verdict) <= 1 || !rules.prefersClosestNumaNodes()) {
                compareZones(table, verdict, admitted);
            }
            if (form.get().placesExactly(ask, verdict)) {
                comparePlacement(table, counts.get(), ask, verdict, free, table.free(after));
            }
        } else {
            refused++;
            Refusal refusal = admission.refused().orElseThrow();
            assertThat(refusal.reason()).as(pod.toString()).isEqualTo(CountsForm.reason(verdict));
            count("not_whole", verdict == CountsEvaluator.NOT_WHOLE_CORES);
            count("unexpected", verdict == CountsEvaluator.SHORT_OF_MEMORY);
            assertThat(form.get().why(evaluator, counts.get(), ask, verdict))
                    .as(pod.toString())
                    .isEqualTo(withoutHolders(refusal.why()));
        }
    }

    private static void count(String what, boolean is) {
        if (is) {
            CASES.merge(what, 1, Integer::sum);
        }
    }

    /** While whole cores only are given out. */
    private static boolean reservesPartOfACore(KubeletModel model) {
        return model.rules().has(CpuOption.FULL_PCPUS_ONLY)
                && model.cpus()
                        .filter(cpus -> cpus.reserved().size() % cpus.topology().averageSize(Level.CORE) != 0)
                        .isPresent();
    }

    private static void compareZones(ZoneTable table, long verdict, Admitted admitted) {
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
        if (verdict > 0 && table.zones() > 1) {
            assertThat(last).contains(table.mask(verdict));
        }
    }

    private void comparePlacement(
            ZoneTable table, NodeCounts counts, PodAsk ask, long verdict, long[] before, long[] after) {
        long[] taken = new long[counts.placementLength()];
        evaluator.place(counts, ask, verdict, taken);
        long[] left = before.clone();
        for (int i = 0; i < left.length; i++) {
            left[i] -= taken[i];
        }
        assertThat(left).as("rows %s", table.resources()).isEqualTo(after);
    }

    private static List<Why> withoutHolders(List<Why> reasons) {
        return reasons.stream()
                .map(why -> new Why(why.resource(), why.mask(), why.need(), why.free(), why.widthWanted(), List.of()))
                .toList();
    }

    @AfterAll
    static void isNoEmptyPromise() {
        System.out.printf("measured: sufficiency asked=%d proven=%d refused=%d %s%n", asked, proven, refused, CASES);
        assertThat(proven).isGreaterThan(asked / 5);
        assertThat(refused).isGreaterThan(asked / 20);
        assertThat(CASES.keySet())
                .containsExactly(
                        "grouped",
                        "in_sockets",
                        "none",
                        "not_reused",
                        "not_whole",
                        "part_of_a_core",
                        "placeless",
                        "reused",
                        "unexpected",
                        "wide");
    }
}
