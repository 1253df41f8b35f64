package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.cli.Colours;
import io.numaledger.kubectl.manifest.Admission;
import io.numaledger.kubectl.output.OutputFormat;
import io.numaledger.kubectl.zones.Zones;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The part that {@code explain} and {@code whatif} share: pods, and their explanations as text. */
final class Explanations {

    private static final String WHO_DECIDES =
            "kube-scheduler's allocator chooses the devices of claims, the kubelet chooses the CPUs; nothing in Kubernetes aligns them";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Mixin
    private PodSource pods;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}")
    private OutputFormat format = OutputFormat.table;

    @Mixin
    private GroupOption group;

    /** {@code namespace/name} of the group in question, if it is one. */
    Optional<String> group(String namespace) {
        return group.group(namespace);
    }

    /** Explains a group. */
    Explained explainGroup(Zones zones, String key) throws IOException {
        JsonNode explanation = zones.explainGroup(key, group.least());
        return new Explained(
                format.text(explanation, GroupOption::text),
                explanation.path("fits").asBoolean());
    }

    /**
     * The explanations of all pods.
     *
     * @param fits whether each pod fits a node
     */
    record Explained(String text, boolean fits) {

        /** The exit status. */
        public int status() {
            return fits ? 0 : 1;
        }
    }

    /**
     * Checks the arguments, and reads the manifest, if there is one.
     *
     * @throws IOException if the file cannot be read
     */
    Optional<String> read() throws IOException {
        if (!group.isGiven()) {
            return pods.read();
        }
        if (pods.isGiven()) {
            throw new ParameterException(command.commandLine(), "give either --group, [NAMESPACE/]NAME or -f FILE");
        }
        return Optional.empty();
    }

    /**
     * The pods in question, sorted by name.
     *
     * @param text what was read
     * @param namespace of pods that name none
     */
    List<ExplainedPod> pods(Optional<String> text, String namespace, Admission admission) throws IOException {
        return pods.pods(text, namespace, admission).stream()
                .sorted(Comparator.comparing(ExplainedPod::key))
                .toList();
    }

    /**
     * Explains pods for all nodes.
     *
     * @param ended pods that are taken to have ended, {@code namespace/name}
     */
    Explained explain(Zones zones, List<ExplainedPod> asked, List<String> ended, Colours colours) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean all = true;
        for (ExplainedPod pod : asked) {
            List<JsonNode> explanations = zones.explain(pod, ended);
            if (format.isTable()) {
                if (asked.size() > 1) {
                    lines.add("pod " + pod.key());
                }
                explanations.stream()
                        .limit(1)
                        .map(each -> each.path("scheduler").path("text").asText())
                        .filter(text -> !text.isEmpty())
                        .forEach(lines::add);
                if (explanations.stream().anyMatch(each -> each.has("claims"))) {
                    lines.add(WHO_DECIDES);
                }
                lines.add(colours.heading(ExplanationTable.HEADER));
            }
            boolean fits = false;
            for (JsonNode explanation : explanations) {
                ((ObjectNode) explanation).put("pod", pod.key());
                lines.add(format.text(
                        explanation, each -> ExplanationTable.text(each, format == OutputFormat.wide, colours)));
                fits |= explanation.path("schedulable").asBoolean();
            }
            all &= fits;
        }
        return new Explained(String.join(System.lineSeparator(), lines), all);
    }
}
