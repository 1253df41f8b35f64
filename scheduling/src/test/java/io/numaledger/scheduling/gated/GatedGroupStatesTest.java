package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.scheduling.gated.GatedGroup.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Walks the table in the comment of {@link GatedGroup}: each of its rows, with the events of the API server. The group has two pods of 3
 * CPUs, and the node two zones of 4 CPUs.
 */
class GatedGroupStatesTest {

    private static final Pattern ROW = Pattern.compile("<tr><td>(.*)</td><td>(.*)</td><td>(.*)</td><td>(.*)</td></tr>");

    private static final Map<String, Duration> TIMES = Map.of(
            "holdAfter", GatedCluster.SETTINGS.holdAfter(),
            "unscheduled", GatedCluster.SETTINGS.unscheduled(),
            "comeUp", GatedCluster.SETTINGS.comeUp(),
            "LIMIT", ReservationLimits.LIMIT);

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Map<State, Consumer<GatedCluster>> REACHED = Map.of(
            State.TOO_FEW,
            gated -> gated.create("default", "g", 2, 1, 0),
            State.WAITS,
            GatedGroupStatesTest::waits,
            State.RESERVED,
            gated -> {
                waits(gated);
                gated.pass(Duration.ZERO);
                gated.pass(GatedCluster.SETTINGS.holdAfter());
            },
            State.AWAITS_EVICTIONS,
            GatedGroupStatesTest::awaitsEvictions,
            State.PLACED,
            GatedGroupStatesTest::placed,
            State.INCOMPLETE,
            gated -> {
                placed(gated);
                gated.pass(Duration.ZERO);
                gated.cluster.deletePod("g-0");
            });

    private static final Map<String, Consumer<GatedCluster>> EVENTS = Map.ofEntries(
            Map.entry("enough pods, and they fit", GatedGroupStatesTest::placed),
            Map.entry("enough pods, and they do not fit", GatedGroupStatesTest::waits),
            Map.entry("enough pods, and they fit if pods of lower priority end", GatedGroupStatesTest::awaitsEvictions),
            Map.entry("another pod ends, and the group fits", gated -> gated.cluster.deletePod("a0")),
            Map.entry("the evicted pods end", gated -> gated.evicted.forEach(gated.cluster::deletePod)),
            Map.entry("a waiting pod is deleted", gated -> gated.cluster.deletePod("g-1")),
            Map.entry("a pod is lost", gated -> gated.cluster.deletePod("g-0")),
            Map.entry("a scheduler refuses a pod, which is evicted", gated -> gated.refuse("g-0")),
            Map.entry("another pod comes, and fits", gated -> gated.create("default", "g", 2, 1, 0)),
            Map.entry("another pod comes, and does not fit", gated -> {
                gated.create("default", "g", 2, 1, 0);
                gated.fill("a", 0);
            }),
            Map.entry("nothing changes: places are reserved for it", gated -> {}),
            Map.entry("nothing changes: its places are left to others", gated -> {}),
            Map.entry("nothing changes: the others are evicted", gated -> {}));

    private static void placed(GatedCluster gated) {
        gated.create("default", "g", 2, 2, 0);
    }

    private static void waits(GatedCluster gated) {
        gated.fill("a", 0);
        gated.create("default", "g", 2, 2, 0);
    }

    private static void awaitsEvictions(GatedCluster gated) {
        gated.fill("a", 0);
        gated.create("default", "g", 2, 2, 10);
    }

    /** @param time name of a time limit; may be empty */
    record Row(State state, String event, State next, String time) {}

    static Stream<Row> rows() throws IOException {
        Path source = Path.of(
                System.getProperty("numaledger.root"),
                "scheduling/src/main/java/io/numaledger/scheduling/gated/GatedGroup.java");
        return Files.readAllLines(source).stream()
                .map(ROW::matcher)
                .filter(Matcher::find)
                .map(row ->
                        new Row(State.valueOf(row.group(1)), row.group(2), State.valueOf(row.group(3)), row.group(4)));
    }

    private static State state(GatedCluster gated) {
        return gated.groups.state(new PodGroupName(Kind.LABEL, "default", "g"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void anEventLeadsToTheNextState(Row row) {
        GatedCluster gated = new GatedCluster(true);
        gated.nodes("a");
        requireNonNull(REACHED.get(row.state())).accept(gated);
        gated.pass(Duration.ZERO);
        assertThat(state(gated)).isEqualTo(row.state());

        requireNonNull(EVENTS.get(row.event())).accept(gated);
        gated.pass(Duration.ZERO);

        if (!row.time().isEmpty()) {
            Duration time = requireNonNull(TIMES.get(row.time()));
            gated.pass(time.minus(SECOND));
            assertThat(state(gated)).as("shortly before").isEqualTo(row.state());
            gated.pass(SECOND);
        }
        assertThat(state(gated)).isEqualTo(row.next());
    }

    @Test
    void theTableHasEachState() throws IOException {
        assertThat(rows().map(Row::state).distinct()).containsExactlyInAnyOrder(State.values());
        assertThat(rows().map(Row::next).distinct()).containsExactlyInAnyOrder(State.values());
        assertThat(rows().map(Row::event).distinct()).containsExactlyInAnyOrderElementsOf(EVENTS.keySet());
    }
}
