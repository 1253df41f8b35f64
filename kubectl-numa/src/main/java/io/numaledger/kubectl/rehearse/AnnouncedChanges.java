package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.view.RehearsalJson;
import io.numaledger.cli.Finding;
import io.numaledger.scheduling.rehearsal.ChangeRehearsal;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import io.numaledger.scheduling.stranded.ReferencePods;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Changes of kubelets that annotations of Nodes announce, as findings: one for each change, over all of its nodes. */
public final class AnnouncedChanges {

    /** Has the options of {@code kubectl numa rehearse change}, such as {@code --kubelet-version=1.38 --by=drain}. */
    public static final String ANNOTATION = "numaledger.io/announced-change";

    private static final String ABOUT = "changes";

    private static final int MOST_CHARACTERS = 1000;

    /** More different changes are not rehearsed. */
    private static final int MOST = 10;

    private AnnouncedChanges() {}

    /** Where the cluster comes from; it is read only if a change is announced. */
    @FunctionalInterface
    public interface Source {
        RehearsedCluster read() throws IOException;
    }

    @Command
    private static final class Announced {

        @Mixin
        private final ChangeOptions options = new ChangeOptions();
    }

    /**
     * None where nothing is announced.
     *
     * @param nodes as the API server has them
     */
    public static List<Finding> of(Iterable<JsonNode> nodes, Source source) throws IOException {
        Map<String, List<String>> announced = new TreeMap<>();
        for (JsonNode node : nodes) {
            JsonNode metadata = node.path("metadata");
            String text = metadata.path("annotations").path(ANNOTATION).asText();
            if (!text.isBlank()) {
                announced
                        .computeIfAbsent(text.strip(), any -> new ArrayList<>())
                        .add(metadata.path("name").asText());
            }
        }
        if (announced.isEmpty()) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        if (announced.size() > MOST) {
            findings.add(Finding.warn(
                    ABOUT,
                    "%d different changes are announced; the first %d are rehearsed"
                            .formatted(announced.size(), MOST)));
        }
        RehearsedCluster cluster = source.read();
        announced.entrySet().stream()
                .limit(MOST)
                .forEach(each -> findings.add(finding(cluster, each.getKey(), each.getValue())));
        return findings;
    }

    private static Finding finding(RehearsedCluster cluster, String text, List<String> nodes) {
        try {
            if (text.length() > MOST_CHARACTERS) {
                throw new IllegalArgumentException("it has more than %d characters".formatted(MOST_CHARACTERS));
            }
            Announced announced = new Announced();
            new CommandLine(announced).setExpandAtFiles(false).parseArgs(text.split("\\s+"));
            JsonNode result = RehearsalJson.change(
                    announced.options.by(),
                    ChangeRehearsal.of(
                            cluster,
                            announced.options.change(),
                            announced.options.by(),
                            nodes,
                            ReferencePods.of(List.of())),
                    any -> "");
            String sentence = "%s: %s".formatted(text, RehearsalText.summary(result));
            return RehearsalText.isFine(result)
                    ? Finding.ok(ABOUT, sentence)
                    : Finding.warn(
                            ABOUT, sentence + "; see kubectl numa rehearse change " + String.join(" ", first(nodes)));
        } catch (IllegalArgumentException | ParameterException invalid) {
            return Finding.warn(
                    ABOUT,
                    "the annotation %s of node %s is not understood: %s; correct it, see kubectl numa rehearse change --help"
                            .formatted(ANNOTATION, nodes.get(0), invalid.getMessage()));
        }
    }

    private static List<String> first(List<String> nodes) {
        return nodes.size() > 3 ? List.of(nodes.get(0), nodes.get(1), "…") : nodes;
    }
}
