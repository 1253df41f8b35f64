package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.NodeSnapshotBuilder;
import io.numaledger.evaluation.snapshot.NodeUnknowns;
import io.numaledger.evaluation.snapshot.ObservedPods;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.Unmodelled;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.objects.ClusterDump;
import io.numaledger.topology.AffinityMask;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Predicts every recorded admission as the bridge would, from what is published about the node at that moment, and counts wrong
 * predictions. A wrong prediction is explained only by an assumption that the bridge names.
 */
final class BridgePrediction implements Replay.Observer {

    /** Who publishes the node's zones and records. */
    enum Publisher {
        /** A foreign exporter, and KAI's records. */
        FOREIGN,
        /** The agent. Another scheduler binds the pods. */
        AGENT,
        /** The agent, which reads the kubelet's state files, too. Another scheduler binds the pods. */
        AGENT_WITH_STATE_FILES,
        /** The agent and the bridge, which binds the pods. */
        AGENT_AND_BRIDGE
    }

    private final Publisher publisher;
    private final boolean foreign;
    private final SortedMap<String, Integer> asked = new TreeMap<>();
    private final SortedMap<String, Integer> missed = new TreeMap<>();
    private final SortedMap<String, Integer> missedUnder = new TreeMap<>();
    private final List<String> unexplained = new ArrayList<>();
    private final List<String> wrongDecisions = new ArrayList<>();
    private PublishedNode published;
    private NodeState truth;
    private int confident;

    BridgePrediction(Publisher publisher) {
        this.publisher = publisher;
        this.foreign = publisher == Publisher.FOREIGN;
    }

    SortedMap<String, Integer> asked() {
        return asked;
    }

    SortedMap<String, Integer> missed() {
        return missed;
    }

    SortedMap<String, Integer> missedUnder() {
        return missedUnder;
    }

    List<String> unexplained() {
        return unexplained;
    }

    /** Wrong predictions of the decision itself, not only of zones or reason. */
    List<String> wrongDecisions() {
        return wrongDecisions;
    }

    /** How many predictions were compared, how many of these without any assumption, and how many were wrong under which assumptions. */
    String counts() {
        return "compared=%d exact=%d wrong=%d %s".formatted(sum(asked), confident, sum(missed), missedUnder);
    }

    private static int sum(SortedMap<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public void started(Scenario scenario, KubeletModel model) {
        published = new PublishedNode(model, publisher == Publisher.AGENT_WITH_STATE_FILES);
        truth = model.empty();
    }

    @Override
    public void stepped(
            Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {
        published.now(model, truth);
        String operation = step.path("op").asText();
        if (operation.equals("readmit")) {
            readmitted(RecordedJson.required(step, "pod"), answer.orElseThrow());
        } else if (answer.isPresent()) {
            JsonNode pod = RecordedJson.required(step, "pod");
            Evaluation evaluation = compare(scenario, model, pod, answer.get());
            if (answer.get() instanceof Admitted admitted) {
                published.admitted(pod, admitted);
                bound(pod, evaluation);
            }
        } else if (operation.equals("remove")) {
            published.removed(RecordedJson.text(step, "pod"));
        }
        truth = state;
    }

    private void readmitted(JsonNode pod, Admission answer) {
        if (answer instanceof Admitted admitted) {
            published.readmitted(pod, admitted);
        } else {
            published.removed(RecordedJson.text(pod, "name"));
        }
    }

    private void bound(JsonNode pod, Evaluation evaluation) {
        if (publisher == Publisher.AGENT_AND_BRIDGE && evaluation instanceof Fits fits) {
            fits.placement()
                    .flatMap(predicted -> predicted.allocation().text())
                    .ifPresent(text -> published.bound(RecordedJson.text(pod, "name"), text));
        }
    }

    private Evaluation compare(Scenario scenario, KubeletModel model, JsonNode pod, Admission answer) {
        String policy = model.rules().topologyPolicy().toString();
        NodeSnapshot snapshot = snapshot();
        Evaluation evaluation = FullModel.evaluate(snapshot, manifest(pod));
        asked.merge(policy, 1, Integer::sum);
        confident += snapshot.assumptions().isEmpty() ? 1 : 0;
        String wanted = text(answer);
        String got = text(evaluation);
        if (wanted.equals(got)) {
            return evaluation;
        }
        missed.merge(policy, 1, Integer::sum);
        String facts = Stream.concat(
                        snapshot.assumptions().stream().map(Assumption::code), hidden(model, snapshot).stream())
                .distinct()
                .collect(Collectors.joining("+"));
        missedUnder.merge(facts.isEmpty() ? "none" : facts, 1, Integer::sum);
        if (wanted.startsWith("fits") != got.startsWith("fits")) {
            wrongDecisions.add("%s scenario=%s pod=%s recorded %s, bridge %s (%s)"
                    .formatted(policy, scenario.id(), RecordedJson.text(pod, "name"), wanted, got, facts));
        }
        if (foreign ? facts.isEmpty() : snapshot.assumptions().isEmpty()) {
            unexplained.add("scenario=%s pod=%s recorded %s, bridge %s (%s)"
                    .formatted(
                            scenario.id(),
                            RecordedJson.text(pod, "name"),
                            wanted,
                            got,
                            snapshot.model()
                                    .unmodelled()
                                    .map(Unmodelled::message)
                                    .orElse("")));
        }
        return evaluation;
    }

    /** Parts of the kubelet's state that differ from what the published objects say. */
    private List<String> hidden(KubeletModel model, NodeSnapshot snapshot) {
        if (foreign || snapshot.now().isEmpty()) {
            return List.of();
        }
        NodeState known = snapshot.now().get();
        List<String> parts = new ArrayList<>();
        if (!shared(truth).equals(shared(known))) {
            parts.add("held-cpus");
        }
        if (!memory(truth).equals(memory(known))) {
            parts.add("history-of-memory-groups");
        }
        if (!devices(model, truth).equals(devices(snapshot.model().kubelet().orElseThrow(), known))) {
            parts.add("held-devices");
        }
        return parts;
    }

    private static String shared(NodeState state) {
        return state.cpus().map(cpus -> cpus.shared().toString()).orElse("-");
    }

    private static String memory(NodeState state) {
        return state.memory().map(held -> held.nodes().toString()).orElse("-");
    }

    private static String devices(KubeletModel model, NodeState state) {
        var allocator = model.devices().orElseThrow();
        return allocator.resources().stream()
                .collect(Collectors.toMap(
                        resource -> resource,
                        resource -> allocator.countsByMask(resource, allocator.available(resource, state.devices())),
                        (a, b) -> a,
                        TreeMap::new))
                .toString();
    }

    private NodeSnapshot snapshot() {
        try {
            ClusterObjects objects = ClusterDump.parse(published.objects(foreign));
            NodeSnapshotBuilder builder = new NodeSnapshotBuilder(SnapshotSettings.DEFAULT);
            var topology = Optional.ofNullable(objects.topologies().get("n"));
            NodeModel model = builder.model(objects.nodes().get("n"), topology);
            return builder.build(
                    objects.nodes().get("n"),
                    topology,
                    model,
                    objects.pods(),
                    Map.of(),
                    new ObservedPods(),
                    Set.of(),
                    NodeUnknowns.NONE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PodFacts manifest(JsonNode pod) {
        try {
            return ClusterDump.parse(PublishedNode.pod(pod, Optional.empty(), 0).toString())
                    .pods()
                    .get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Admission answer) {
        if (answer instanceof Admitted admitted) {
            AffinityMask mask = Stream.concat(
                            admitted.hints().pod().stream(), admitted.hints().byContainer().values().stream())
                    .map(TopologyHint::mask)
                    .flatMap(Optional::stream)
                    .reduce(AffinityMask.NONE, AffinityMask::or);
            return "fits " + mask;
        }
        return answer.refused().map(refusal -> refusal.reason().toString()).orElse("KubeletFailure");
    }

    private static String text(Evaluation evaluation) {
        if (evaluation instanceof Refused refused) {
            return refused.reason().toString();
        }
        Optional<PredictedPlacement> predicted = evaluation instanceof Fits fits ? fits.placement() : Optional.empty();
        return "fits " + predicted.map(PredictedPlacement::numaNodes).orElse(AffinityMask.NONE);
    }
}
