package io.numaledger.annotation;

import io.numaledger.placement.Placement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class PodAnnotatorTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Placement HELD =
            new Placement.Builder().add(0, "cpu", 2000).build();
    private static final String TEXT = "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\"}}]";
    private static final String OLD = "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"2\"}}]";

    private final InMemoryPods store = new InMemoryPods();
    private final PodAnnotator annotator = new PodAnnotator(store, Duration.ofSeconds(60));

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            running, listed, no annotation yet        | started | -    | HELD       | TEXT
            running, listed, annotation differs       | started | OLD  | HELD       | TEXT
            running, listed, holds nothing any more   | started | OLD  | EMPTY      | -
            running, listed twice                     | started | OLD  | HELD+HELD  | OLD
            running, not listed for the moment        | started | OLD  | NOT_LISTED | OLD
            not admitted yet, forged annotation       | pending | OLD  | NOT_LISTED | -
            not admitted yet, the name is listed      | pending | -    | HELD       | -
            ended, still listed by an old kubelet     | ended   | OLD  | HELD       | OLD
            """)
    void leavesEachPodWith(String situation, String state, String before, String kubelet, String after) {
        PodView pod = new PodView(
                "a", "p", "uid-1", !state.equals("pending"), state.equals("ended"), Optional.ofNullable(text(before)));
        store.put(pod);
        Map<String, List<Placement>> listed = switch (kubelet) {
            case "HELD" -> Map.of("a/p", List.of(HELD));
            case "HELD+HELD" -> Map.of("a/p", List.of(HELD, HELD));
            case "EMPTY" -> Map.of("a/p", List.of(Placement.EMPTY));
            default -> Map.of();
        };
        pass(listed, START);
        assertThat(store.pods.get("uid-1").observed()).isEqualTo(Optional.ofNullable(text(after)));
    }

    private static String text(String name) {
        return name == null ? null : name.equals("TEXT") ? TEXT : OLD;
    }

    @Test
    void takesARecordAwayOnlyAfterThePatienceIsOver() {
        store.put(new PodView("a", "p", "uid-1", true, false, Optional.of(OLD)));
        pass(Map.of(), START);
        pass(Map.of(), START.plusSeconds(59));
        assertThat(store.pods.get("uid-1").observed()).contains(OLD);
        assertThat(annotator.waiting(START.plusSeconds(59))).isTrue();
        pass(Map.of(), START.plusSeconds(60));
        assertThat(store.pods.get("uid-1").observed()).isEmpty();
        assertThat(annotator.waiting(START.plusSeconds(60))).isFalse();
    }

    @Test
    void beginsToWaitAnewAfterTheKubeletSpokeOfThePod() {
        store.put(new PodView("a", "p", "uid-1", true, false, Optional.of(TEXT)));
        pass(Map.of(), START);
        pass(Map.of("a/p", List.of(HELD)), START.plusSeconds(30));
        pass(Map.of(), START.plusSeconds(70));
        assertThat(store.pods.get("uid-1").observed()).contains(TEXT);
    }

    @Test
    void writesNothingWhenNothingChanged() {
        store.put(new PodView("a", "p", "uid-1", true, false, Optional.of(TEXT)));
        PodAnnotator.Pass pass = pass(Map.of("a/p", List.of(HELD)), START);
        assertThat(pass).isEqualTo(new PodAnnotator.Pass(0, 0, 1, List.of()));
        assertThat(store.writes).isEmpty();
    }

    @Test
    void goesOnWithTheOthersWhenOnePodCannotBeWritten() {
        store.put(new PodView("a", "p", "broken", true, false, Optional.empty()));
        store.put(new PodView("a", "q", "fine", true, false, Optional.empty()));
        PodAnnotator.Pass pass = pass(Map.of("a/p", List.of(HELD), "a/q", List.of(HELD)), START);
        assertThat(pass.written()).isEqualTo(1);
        assertThat(pass.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.pod().uid()).isEqualTo("broken");
            assertThat(failure.cause()).hasMessage("no");
        });
        assertThat(store.pods.get("fine").observed()).contains(TEXT);
    }

    private PodAnnotator.Pass pass(Map<String, List<Placement>> listed, Instant now) {
        List<PodView> pods = List.copyOf(store.pods.values());
        SortedMap<String, Optional<String>> decisions = annotator.decide(pods, listed, now);
        return annotator.write(pods, decisions);
    }

    /** Keeps pods by UID; the pod "broken" cannot be written. */
    private static final class InMemoryPods implements PodStore {
        private final Map<String, PodView> pods = new TreeMap<>();
        private final List<String> writes = new ArrayList<>();

        void put(PodView pod) {
            pods.put(pod.uid(), pod);
        }

        @Override
        public Written writeObserved(PodView pod, Optional<String> text) throws IOException {
            writes.add(pod.uid());
            if (pod.uid().equals("broken")) {
                throw new IOException("no");
            }
            pods.computeIfPresent(pod.uid(), (uid, known) -> known.withObserved(text));
            return Written.DONE;
        }
    }
}
