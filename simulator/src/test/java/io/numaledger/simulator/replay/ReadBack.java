package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.cluster.SnapshotFile;
import io.numaledger.bridge.node.Assumption;
import io.numaledger.bridge.node.NodeModel;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.PictureMaker;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.node.RecordTexts;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.topology.AffinityMask;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Asks the bridge, before every recorded admission, what the kubelet will say, from what is published of the node then; and counts.
 * A miss is counted under what the bridge assumes and what of the kubelet's state nobody publishes; under neither, it is unexplained.
 */
final class ReadBack implements Replay.Observer {

    private final boolean foreign;
    private final SortedMap<String, Integer> asked = new TreeMap<>();
    private final SortedMap<String, Integer> missed = new TreeMap<>();
    private final SortedMap<String, Integer> missedUnder = new TreeMap<>();
    private final List<String> unexplained = new ArrayList<>();
    private final List<String> verdicts = new ArrayList<>();
    private PublishedNode published;
    private NodeState truth;
    private int confident;

    ReadBack(boolean foreign) {
        this.foreign = foreign;
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

    /** Misses of the verdict itself, not only of zones or reason. */
    List<String> verdicts() {
        return verdicts;
    }

    int confident() {
        return confident;
    }

    @Override
    public void started(Scenario scenario, KubeletModel model) {
        published = new PublishedNode(scenario, model);
        truth = model.empty();
    }

    @Override
    public void stepped(
            Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {
        if (answer.isPresent()) {
            JsonNode pod = Json.required(step, "pod");
            compare(scenario, model, pod, answer.get());
            if (answer.get() instanceof Admitted admitted) {
                published.admitted(pod, admitted);
            }
        } else {
            published.removed(Json.text(step, "pod"));
        }
        truth = state;
    }

    private void compare(Scenario scenario, KubeletModel model, JsonNode pod, Admission answer) {
        String policy = model.rules().topologyPolicy().toString();
        NodePicture picture = picture();
        Verdict verdict = Judge.now(picture, manifest(pod));
        asked.merge(policy, 1, Integer::sum);
        confident += picture.assumptions().isEmpty() ? 1 : 0;
        String wanted = text(answer);
        String got = text(verdict);
        if (wanted.equals(got)) {
            return;
        }
        missed.merge(policy, 1, Integer::sum);
        String facts = Stream.concat(
                        picture.assumptions().stream().map(Assumption::code), hidden(model, picture).stream())
                .distinct()
                .collect(Collectors.joining("+"));
        missedUnder.merge(facts.isEmpty() ? "none" : facts, 1, Integer::sum);
        if (wanted.startsWith("fits") != got.startsWith("fits")) {
            verdicts.add("%s scenario=%s pod=%s recorded %s, bridge %s (%s)"
                    .formatted(policy, scenario.id(), Json.text(pod, "name"), wanted, got, facts));
        }
        if (facts.isEmpty()) {
            unexplained.add("scenario=%s pod=%s recorded %s, bridge %s (%s)"
                    .formatted(
                            scenario.id(),
                            Json.text(pod, "name"),
                            wanted,
                            got,
                            picture.model().unmodelled()));
        }
    }

    /** Parts of the kubelet's state that are not as the published objects make them look. */
    private List<String> hidden(KubeletModel model, NodePicture picture) {
        if (foreign || picture.now().isEmpty()) {
            return List.of();
        }
        NodeState known = picture.now().get();
        List<String> parts = new ArrayList<>();
        if (!shared(truth).equals(shared(known))) {
            parts.add("held-cpus");
        }
        if (!memory(truth).equals(memory(known))) {
            parts.add("history-of-memory-groups");
        }
        if (!devices(model, truth).equals(devices(picture.model().kubelet().orElseThrow(), known))) {
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

    private NodePicture picture() {
        try {
            ClusterObjects objects = SnapshotFile.parse(published.objects(foreign));
            PictureMaker maker = new PictureMaker(PictureSettings.DEFAULT);
            var topology = Optional.ofNullable(objects.topologies().get("n"));
            NodeModel model = maker.model(objects.nodes().get("n"), topology);
            return maker.picture(
                    objects.nodes().get("n"), topology, model, objects.pods(), Map.of(), new RecordTexts());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PodFacts manifest(JsonNode pod) {
        try {
            return SnapshotFile.readPod(
                    PublishedNode.pod(pod, Optional.empty(), 0).toString());
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
        return answer.refused().map(refusal -> refusal.reason().toString()).orElse("breaks");
    }

    private static String text(Verdict verdict) {
        return verdict.fits() ? "fits " + verdict.mask() : verdict.code().get().toString();
    }
}
