package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.numaledger.apiobjects.recording.RecordedPod;
import io.numaledger.evaluation.fit.RefusalExplanation;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** For each recorded refusal, the sentence states something that is true, and that explains the refusal. */
class RefusalSentencesTest {

    private static final Pattern FILES =
            Pattern.compile("(shapes|handmade|basic|options|groups|nondeterministic|versions)\\.jsonl\\.gz");

    @ParameterizedTest
    @MethodSource("recordings")
    void eachSentenceExplainsTheRecordedRefusal(Path file) {
        Sentences sentences = new Sentences();

        new ScenarioFile(file).forEach(new Replay(sentences)::run);

        assertThat(sentences.wrong).isEmpty();
        assertThat(sentences.kinds).isNotEmpty();
    }

    /** Those that every clone has, and the larger set where the environment names it. */
    static List<Path> recordings() throws URISyntaxException, IOException {
        List<Path> files = new ArrayList<>();
        files.addAll(in(Path.of(
                RefusalSentencesTest.class.getResource("/kubelet-recordings").toURI())));
        String data = System.getenv("NUMALEDGER_DATA");
        if (data != null) {
            files.addAll(in(Path.of(data, "kubelet-golden")));
        }
        return files;
    }

    private static List<Path> in(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(
                            file -> FILES.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
    }

    /** Checks sentences without the code that writes them: from their text, and the record. */
    private static final class Sentences implements Replay.Observer {

        private static final Pattern SHORTAGE =
                Pattern.compile("needs (\\S+) \\S+(?: on \\d+ zones?)?; .* (?:has|have) (\\S+) free(?:, held by .*)?");
        private static final Pattern WIDTHS = Pattern.compile(
                "\\S+ \\S+ need (\\d+) zones, \\S+ \\S+ needs? (\\d+); \\S+ needs the same zones for all");
        private static final Pattern ONE_ZONE =
                Pattern.compile("needs \\S+ \\S+ on (\\d+) zones; single-numa-node allows one zone");
        private static final Pattern ONLY_ON = Pattern.compile("\\S+ \\S+ only on (.*) \\((?:at most )?\\S+ free\\)");
        private static final Pattern INIT = Pattern.compile(
                "needs \\S+ \\S+ on \\d+ zones?; the kubelet first gives container \\S+ what init containers had: (.*)");
        private static final Pattern CONTAINER = Pattern.compile("(.*) \\(container (\\S+)\\)");
        private static final Pattern GROUPS = Pattern.compile(
                "needs \\S+ \\S+(?: on \\d+ zones?)?; the Memory Manager keeps zones in the groups in which pods use them: .*\\)");

        private final TreeMap<String, Integer> kinds = new TreeMap<>();
        private final List<String> wrong = new ArrayList<>();
        private NodeState before;

        @Override
        public void started(Scenario scenario, KubeletModel model) {
            before = model.empty();
        }

        @Override
        public void stepped(
                Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {
            if (answer.isPresent() && answer.get() instanceof Admission.Refused refused) {
                String sentence = PodNames.ALL.text(
                        RefusalExplanation.sentence(model, before, RecordedPod.read(step.path("pod")), refused));
                JsonNode result = step.path("result");
                Optional<String> kind = kind(sentence, result);
                kind.ifPresent(each -> kinds.merge(each, 1, Integer::sum));
                if (kind.isEmpty()) {
                    wrong.add("%s: %s: %s | %s".formatted(scenario.id(), sentence, refused.refusal(), result));
                }
            }
            before = state;
        }

        /** Which kind of explanation a sentence is; empty if it explains nothing. */
        private static Optional<String> kind(String sentence, JsonNode result) {
            String message = result.path("message").asText();
            Matcher shortage = SHORTAGE.matcher(sentence);
            if (shortage.matches()) {
                boolean isShort = amount(shortage.group(1)).compareTo(amount(shortage.group(2))) > 0;
                return isShort ? Optional.of("shortage") : Optional.empty();
            }
            boolean topology = result.path("reason").asText().equals("TopologyAffinityError");
            Matcher widths = WIDTHS.matcher(sentence);
            if (widths.matches()) {
                return topology && !widths.group(1).equals(widths.group(2)) ? Optional.of("widths") : Optional.empty();
            }
            Matcher one = ONE_ZONE.matcher(sentence);
            if (one.matches()) {
                return topology && Integer.parseInt(one.group(1)) > 1 ? Optional.of("one zone") : Optional.empty();
            }
            Matcher init = INIT.matcher(sentence);
            if (init.matches()) {
                return topology && sameZones(init.group(1), result.path("containerHints"))
                        ? Optional.of("init containers")
                        : Optional.empty();
            }
            if (sentence.contains(" only on ")) {
                return topology && disjoint(sentence) ? Optional.of("disjoint") : Optional.empty();
            }
            if (GROUPS.matcher(sentence).matches()) {
                return topology || message.contains("[memorymanager]") ? Optional.of("memory group") : Optional.empty();
            }
            return !topology && !message.isEmpty() && sentence.endsWith(message)
                    ? Optional.of("kubelet error")
                    : Optional.empty();
        }

        /** Whether the record has the same zones for each named container. */
        private static boolean sameZones(String containers, JsonNode hints) {
            for (String each : containers.split(", ")) {
                Matcher zones = CONTAINER.matcher(each);
                if (!zones.matches()) {
                    return false;
                }
                List<String> recorded = new ArrayList<>();
                hints.path(zones.group(2)).path("numaNodes").forEach(id -> recorded.add("node-" + id));
                if (!recorded.equals(List.of(zones.group(1).split(" and ")))) {
                    return false;
                }
            }
            return true;
        }

        private static boolean disjoint(String sentence) {
            List<String> claims = List.of(sentence.split("; "));
            Set<String> common = null;
            for (String claim : claims.subList(0, claims.size() - 1)) {
                Matcher zones = ONLY_ON.matcher(claim);
                if (!zones.matches()) {
                    return false;
                }
                Set<String> sets = new TreeSet<>(List.of(zones.group(1).split(" or ")));
                if (common == null) {
                    common = sets;
                } else {
                    common.retainAll(sets);
                }
            }
            return common != null && common.isEmpty();
        }

        private static BigDecimal amount(String quantity) {
            return new Quantity(quantity).getNumericalAmount();
        }
    }
}
