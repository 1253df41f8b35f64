package io.numaledger.annotation;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class PodAnnotatorTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final PodAllocation ALLOCATION =
            new PodAllocation("a", "p", List.of(new ContainerAllocation("c", CpuSet.of(2, 3), List.of(), List.of())));
    private static final PodRecords HELD =
            PodRecords.of(new Placement.Builder().add(0, "cpu", 2000).build(), ALLOCATION);
    private static final String TEXT = "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\"}}]";
    private static final String DETAIL = "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"2-3\"}]}";
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
        PodView pod = new PodView("a", "p", "uid-1", !state.equals("pending"), state.equals("ended"), records(before));
        store.put(pod);
        Map<String, List<PodRecords>> listed = switch (kubelet) {
            case "HELD" -> Map.of("a/p", List.of(HELD));
            case "HELD+HELD" -> Map.of("a/p", List.of(HELD, HELD));
            case "EMPTY" -> Map.of("a/p", List.of(PodRecords.NONE));
            default -> Map.of();
        };
        pass(listed, START);
        assertThat(store.pods.get("uid-1").records()).isEqualTo(records(after));
    }

    private static PodRecords records(String name) {
        return name == null
                ? PodRecords.NONE
                : name.equals("TEXT")
                        ? new PodRecords(Optional.of(TEXT), Optional.of(DETAIL))
                        : new PodRecords(Optional.of(OLD), Optional.empty());
    }

    @Test
    void addsTheSecondRecordBesideAnUnchangedFirst() {
        store.put(new PodView("a", "p", "uid-1", true, false, new PodRecords(Optional.of(TEXT), Optional.empty())));
        PodAnnotator.Result pass = pass(Map.of("a/p", List.of(HELD)), START);
        assertThat(pass.written()).isEqualTo(1);
        assertThat(store.pods.get("uid-1").records().placement()).contains(DETAIL);
    }

    @Test
    void takesARecordAwayOnlyAfterThePatienceIsOver() {
        store.put(new PodView("a", "p", "uid-1", true, false, records("OLD")));
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
        store.put(new PodView("a", "p", "uid-1", true, false, records("TEXT")));
        pass(Map.of(), START);
        pass(Map.of("a/p", List.of(HELD)), START.plusSeconds(30));
        pass(Map.of(), START.plusSeconds(70));
        assertThat(store.pods.get("uid-1").observed()).contains(TEXT);
    }

    @Test
    void writesNothingWhenNothingChanged() {
        store.put(new PodView("a", "p", "uid-1", true, false, records("TEXT")));
        PodAnnotator.Result pass = pass(Map.of("a/p", List.of(HELD)), START);
        assertThat(pass).isEqualTo(new PodAnnotator.Result(0, 0, 1, List.of()));
        assertThat(store.writes).isEmpty();
    }

    @Test
    void goesOnWithTheOthersWhenOnePodCannotBeWritten() {
        store.put(new PodView("a", "p", "broken", true, false, PodRecords.NONE));
        store.put(new PodView("a", "q", "fine", true, false, PodRecords.NONE));
        PodAnnotator.Result pass = pass(Map.of("a/p", List.of(HELD), "a/q", List.of(HELD)), START);
        assertThat(pass.written()).isEqualTo(1);
        assertThat(pass.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.pod().uid()).isEqualTo("broken");
            assertThat(failure.cause()).hasMessage("no");
        });
        assertThat(store.pods.get("fine").observed()).contains(TEXT);
    }

    @Test
    void writesSeveralAtATime() {
        CyclicBarrier four = new CyclicBarrier(4);
        PodStore waiting = (pod, records) -> {
            try {
                four.await(3, TimeUnit.MINUTES);
                return PodStore.Written.DONE;
            } catch (Exception e) {
                throw new IOException("alone", e);
            }
        };
        SortedMap<String, PodRecords> decisions = new TreeMap<>();
        List<PodView> pods = Stream.of("a", "b", "c", "d", "e", "f", "g", "h")
                .map(name -> new PodView("a", name, "uid-" + name, true, false, PodRecords.NONE))
                .toList();
        pods.forEach(pod -> decisions.put(pod.uid(), HELD));

        PodAnnotator.Result pass = new PodAnnotator(waiting, Duration.ofSeconds(60)).write(pods, decisions);

        assertThat(pass).isEqualTo(new PodAnnotator.Result(8, 0, 0, List.of()));
    }

    private PodAnnotator.Result pass(Map<String, List<PodRecords>> listed, Instant now) {
        List<PodView> pods = List.copyOf(store.pods.values());
        SortedMap<String, PodRecords> decisions = annotator.decide(pods, listed, now);
        return annotator.write(pods, decisions);
    }

    /** Keeps pods by UID; the pod "broken" cannot be written. */
    private static final class InMemoryPods implements PodStore {
        private final Map<String, PodView> pods = new ConcurrentSkipListMap<>();
        private final Collection<String> writes = new ConcurrentLinkedQueue<>();

        void put(PodView pod) {
            pods.put(pod.uid(), pod);
        }

        @Override
        public Written write(PodView pod, PodRecords records) throws IOException {
            writes.add(pod.uid());
            if (pod.uid().equals("broken")) {
                throw new IOException("no");
            }
            pods.computeIfPresent(pod.uid(), (uid, known) -> known.with(records));
            return Written.DONE;
        }
    }
}
