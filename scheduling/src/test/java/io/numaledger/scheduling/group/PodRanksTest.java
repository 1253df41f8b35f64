package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class PodRanksTest {

    private static final String JOB = "batch.kubernetes.io/job-completion-index";

    /** Pods such as {@code a label=1}. Placed ones have the annotation {@code r=1}, if they were planned. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            pods without an index           | a; b; c               |             | a 0, b 1, c 2
            the indexes of a Job            | a job=1; b job=0      |             | b 0, a 1
            by number and not by text       | a job=10; b job=9     |             | b 9, a 10
            an index that is missing        | a job=3; b job=1      |             | b 1, a 3
            a replaced pod                  | d                     | a r=0; c r=2 | d 1
            a replaced pod of a Job         | b job=1               | a job=0     | b 1
            two jobs of a JobSet            | a set=1 job=0; b set=0 job=1; c set=0 job=0 | | c 0, b 1, a 2
            the replicas of two roles       | a replica=0; b replica=1; c replica=0 | | a 0, c 1, b 2
            two pods of one index           | a job=0; b job=0      |             | a 0, b 1
            no number                       | a job=x; b job=-1     |             | a 0, b 1
            """)
    void numbersThePodsOfAGroup(String situation, String pods, String placed, String ranks) {
        assertThat(PodRanks.of(read(pods), read(placed)).entrySet().stream()
                        .map(each -> each.getKey().name() + " " + each.getValue())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(ranks);
    }

    private static List<PodFacts> read(String pods) {
        return pods == null
                ? List.of()
                : Stream.of(pods.split("; ")).map(PodRanksTest::pod).toList();
    }

    private static PodFacts pod(String text) {
        String[] words = text.split(" ");
        String labels = Stream.of(words)
                .skip(1)
                .filter(word -> !word.startsWith("r="))
                .map(word -> word.replace("job=", JOB + "=")
                        .replace("set=", "jobset.sigs.k8s.io/job-global-index=")
                        .replace("replica=", "training.kubeflow.org/replica-index="))
                .map(word -> word.replace("=", ": \"") + "\"")
                .collect(Collectors.joining(", "));
        String annotations = Stream.of(words)
                .filter(word -> word.startsWith("r="))
                .map(word -> "numaledger.io/rank: \"" + word.substring(2) + "\"")
                .collect(Collectors.joining());
        return ClusterYaml.parsePod(ClusterYaml.pod(
                words[0], "cpu: 1", ", labels: {%s}, annotations: {%s}".formatted(labels, annotations), "", ""));
    }
}
