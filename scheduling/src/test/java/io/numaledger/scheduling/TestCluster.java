package io.numaledger.scheduling;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.EvaluationCounters.Method;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.PreparedPods;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;
import io.numaledger.scheduling.state.ReservationListener;

import java.time.InstantSource;
import java.util.List;

/** A cluster state with its evaluator, fed from YAML. */
public final class TestCluster {

    public final ClusterState state;
    public final BatchEvaluator evaluator;
    private final InstantSource clock;

    public TestCluster() {
        this((pod, reservation) -> {}, InstantSource.system());
    }

    public TestCluster(ReservationListener listener, InstantSource clock) {
        this(SnapshotSettings.DEFAULT, listener, clock);
    }

    public TestCluster(SnapshotSettings settings, ReservationListener listener, InstantSource clock) {
        ResourceIndex index = new ResourceIndex();
        this.clock = clock;
        this.state = new ClusterState(settings, new NodeClasses(index), listener, clock);
        this.evaluator = new BatchEvaluator(
                state,
                new PreparedPods(index),
                new Ranking(List.of(ScoringCriterion.values()), Strategy.MostAllocated));
    }

    /** Applies the objects as events of the API server. */
    public void apply(String... documents) {
        ClusterObjects objects = ClusterYaml.read(documents);
        objects.nodes().values().forEach(state::nodeChanged);
        objects.topologies().values().forEach(topology -> state.topologyChanged(topology, clock.instant()));
        objects.devices().classes().forEach(state.claims()::classChanged);
        objects.devices().slices().forEach(state.claims()::sliceChanged);
        objects.devices().claims().forEach(state.claims()::claimChanged);
        objects.pods().forEach(state::podChanged);
    }

    public void deletePod(String name) {
        state.podDeleted(state.pods().get("default/" + name).orElseThrow());
    }

    public List<Evaluation> evaluate(List<String> nodes, PodFacts pod) {
        return evaluator.evaluate(NodeNames.of(state.index(), nodes), pod, state.budget(pod, nodes.size()));
    }

    /** Whether the pod could be bound; the reservation is cancelled. */
    public boolean binds(String node, PodFacts pod) {
        boolean admitted = state.binds()
                .bind(node, pod, evaluation -> evaluation.orElseThrow().admits());
        state.binds().cancel(node, pod);
        return admitted;
    }

    public NodeSnapshot snapshot(String node) {
        return state.snapshot(node).orElseThrow();
    }

    /** The number of evaluations that were made by a method. */
    public long evaluations(Method method) {
        return evaluator.counters().count(method);
    }
}
