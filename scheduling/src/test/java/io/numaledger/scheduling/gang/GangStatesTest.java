package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.gang.Gang.State;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Walks the table in the comment of {@link Gang}: each of its rows, with the calls of kube-scheduler. */
class GangStatesTest {

    private static final Pattern ROW = Pattern.compile("<tr><td>(.*)</td><td>(.*)</td><td>(.*)</td><td>(.*)</td></tr>");

    private static final Map<String, Duration> TIMES = Map.of(
            "ATTEMPT_TIMEOUT", Gang.ATTEMPT_TIMEOUT,
            "REQUEUE_AFTER", GangRetries.REQUEUE_AFTER,
            "PLAN_TIMEOUT", Gangs.PLAN_TIMEOUT);

    /** Longer than a test reads the clock, which goes on with each reading. */
    private static final Duration EARLIER = Duration.ofMillis(500);

    private static final Map<State, Consumer<Attempts>> REACHED = Map.of(
            State.OPEN, attempts -> {},
            State.REFUSED, Attempts::refused,
            State.AWAITS_EVICTIONS, Attempts::awaitsEvictions,
            State.RESERVED, Attempts::reserved,
            State.DISPLACED, Attempts::displaced,
            State.BINDING, Attempts::binding);

    private static final Map<String, Consumer<Attempts>> EVENTS = Map.ofEntries(
            Map.entry("filter: the group fits", Attempts::reserved),
            Map.entry("filter: it fits without pods of lower priority", Attempts::awaitsEvictions),
            Map.entry("filter: it does not fit", Attempts::refused),
            Map.entry("filter for another pod", attempts -> attempts.filter("gang-1", "a")),
            Map.entry("filter for the same pod", attempts -> attempts.filter("gang-0", "a")),
            Map.entry("filter for a pod that was left out", attempts -> attempts.filter("gang-2", "a")),
            Map.entry("filter for another pod, and the group fits by now", attempts -> {
                attempts.end("x");
                attempts.filter("gang-1", "a");
            }),
            Map.entry("filter for the same pod, and the group fits by now", attempts -> {
                attempts.end("x");
                attempts.filter("gang-0", "a");
            }),
            Map.entry("filter for another pod later, and the group fits by now", attempts -> {
                attempts.end("x");
                attempts.filter("gang-1", "a");
            }),
            Map.entry("the group fits by now: a retry is requested", attempts -> {
                attempts.end("x");
                attempts.gangs.checkRefused();
            }),
            Map.entry(
                    "filter for another pod without its planned node, and the group fits elsewhere",
                    attempts -> attempts.filter("gang-1", "c")),
            Map.entry("filter for the same pod, and the group does not fit any more", Attempts::refused),
            Map.entry("bind", attempts -> attempts.bind("a")),
            Map.entry("bind, and a pod of higher priority has taken a place", attempts -> {
                attempts.bindImportant();
                attempts.bind("a");
            }),
            Map.entry("bind by the plan of another domain", attempts -> {
                attempts.filter("gang-0", "b");
                attempts.bind("b");
            }),
            Map.entry("bind, and the pods of lower priority still run", attempts -> attempts.bind("a")),
            Map.entry("bind, and the pods of lower priority have ended", attempts -> {
                attempts.end("x");
                attempts.end("y");
                attempts.bind("a");
            }),
            Map.entry("no call", attempts -> attempts.gangs.expire()));

    /** @param after name of a time limit; may be empty */
    record Row(State state, String event, State next, String after) {}

    static Stream<Row> rows() throws IOException {
        Path source = Path.of(
                System.getProperty("numaledger.root"),
                "scheduling/src/main/java/io/numaledger/scheduling/gang/Gang.java");
        return Files.readAllLines(source).stream()
                .map(ROW::matcher)
                .filter(Matcher::find)
                .map(row ->
                        new Row(State.valueOf(row.group(1)), row.group(2), State.valueOf(row.group(3)), row.group(4)));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void anEventLeadsToTheNextState(Row row) {
        Attempts attempts = reached(row.state());
        attempts.pass(row.after().isEmpty() ? Duration.ZERO : limit(row));

        requireNonNull(EVENTS.get(row.event())).accept(attempts);

        assertThat(attempts.state()).isEqualTo(row.next());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void butNotBeforeItsTime(Row row) {
        if (!row.after().isEmpty()) {
            Attempts attempts = reached(row.state());
            attempts.pass(limit(row).minus(EARLIER));

            requireNonNull(EVENTS.get(row.event())).accept(attempts);

            assertThat(attempts.state()).isEqualTo(row.state());
        }
    }

    private static Duration limit(Row row) {
        return requireNonNull(TIMES.get(row.after()));
    }

    private static Attempts reached(State state) {
        Attempts attempts = new Attempts();
        requireNonNull(REACHED.get(state)).accept(attempts);
        assertThat(attempts.state()).isEqualTo(state);
        return attempts;
    }

    @Test
    void theTableHasEachState() throws IOException {
        assertThat(rows().map(Row::state).distinct()).containsExactlyInAnyOrder(State.values());
        assertThat(rows().map(Row::next).distinct()).containsExactlyInAnyOrder(State.values());
        assertThat(rows().map(Row::event).distinct()).containsExactlyInAnyOrderElementsOf(EVENTS.keySet());
    }

    /** A gang of three pods of 3 CPUs, two of which have to run. Each node has two zones of 4 CPUs; a and c are in one domain. */
    private static final class Attempts {

        private final TestCluster cluster = new TestCluster();
        private final PodGroups groups = new PodGroups();
        private final AtomicLong nanos = new AtomicLong();
        final Gangs gangs = new Gangs(
                cluster.state,
                groups,
                new PlanReservations(cluster.state),
                new GroupListener() {},
                () -> nanos.addAndGet(1_000),
                cluster.state.changes()::await,
                pod -> {});

        Attempts() {
            cluster.apply(node("a", 1), node("b", 2), node("c", 1));
            groups.watched(Kind.NATIVE);
            groups.put(new PodGroup(
                    new PodGroupName(Kind.NATIVE, "default", "gang"),
                    "scheduling.k8s.io/v1beta1",
                    "uid-gang",
                    OptionalInt.of(2),
                    Collections.emptySortedMap(),
                    Collections.emptySortedMap(),
                    List.of("rack")));
            Stream.of("gang-0", "gang-1", "gang-2")
                    .forEach(name ->
                            cluster.apply(pending(name, "  priority: 10\n  schedulingGroup: {podGroupName: gang}")));
        }

        private static String node(String name, int rack) {
            return ClusterYaml.node(name)
                    .replaceFirst("name: " + name, "name: %s, labels: {rack: \"%d\"}".formatted(name, rack))
                    .replace("allocatable: {", "allocatable: {cpu: \"8\", memory: 64Gi, pods: \"110\", ");
        }

        private static String pending(String name, String spec) {
            return ClusterYaml.pod(name, "cpu: \"3\", memory: 1Gi", "", spec, ", phase: Pending");
        }

        State state() {
            return gangs.gang(pod("gang-0"))
                    .map(gang -> gang.attempt("[1]").state())
                    .orElse(State.OPEN);
        }

        void reserved() {
            filter("gang-0", "a");
        }

        /** Two pods fit the node, but not the zones. */
        void refused() {
            cluster.apply(ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2"));
            filter("gang-0", "a");
        }

        void awaitsEvictions() {
            cluster.apply(
                    ClusterYaml.running("x", "a", "cpu: \"3\", memory: 1Gi", "1-3"),
                    ClusterYaml.running("y", "a", "cpu: \"3\", memory: 1Gi", "5-7"));
            filter("gang-0", "a");
        }

        void binding() {
            reserved();
            bind("a");
        }

        void displaced() {
            reserved();
            bindImportant();
            bind("a");
        }

        void bindImportant() {
            boolean admitted = cluster.state
                    .binds()
                    .bind(
                            "a",
                            ClusterYaml.parsePod(pending("important", "  priority: 20")),
                            evaluation -> evaluation.orElseThrow().admits());
            assertThat(admitted).isTrue();
        }

        void filter(String pod, String node) {
            gangs.filter(pod(pod), NodeNames.of(cluster.state.index(), List.of(node)), Optional.empty());
        }

        void bind(String node) {
            gangs.beforeBind(pod("gang-0"), node);
        }

        void end(String pod) {
            cluster.deletePod(pod);
        }

        void pass(Duration time) {
            nanos.addAndGet(time.toNanos());
        }

        private PodFacts pod(String name) {
            return cluster.state.pods().get("default/" + name).orElseThrow();
        }
    }
}
