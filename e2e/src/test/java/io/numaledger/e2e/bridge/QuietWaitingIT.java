package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.bridge.run.PendingPods;
import io.numaledger.e2e.bridge.BareCluster.Scheduler;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.workload.SimplePod;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A pod that waits costs nearly nothing: kube-scheduler tries it again only when something has happened. Each situation has 20 nodes;
 * 3 CPUs are free on each, and no zone has 3.
 */
class QuietWaitingIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int NODES = 20;

    /** The first attempt, and those that follow from what kube-scheduler writes into the pod. */
    private static final Duration SETTLING = Duration.ofSeconds(5);

    /** Five times the longest back-off: a pod that is tried without end is tried five times at least. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    private static final Duration BUSY = Duration.ofSeconds(8);

    /** Since the pod was created, without events; one of them while it is quiet. */
    private static final int ATTEMPTS = 3;

    /** One, and one more if the event comes while the pod is tried. */
    private static final int ATTEMPTS_PER_EVENT = 2;

    /** Each of them holds the node for ten seconds. */
    private static final int OLDER_PODS = 9;

    @TempDir
    private static Path directory;

    private static BareCluster cluster;

    /** Why pods wait. */
    private enum Situation {
        ZONES("zones", "cpu=3", "NUMA: no zone can take 3 cpu"),
        /** For an older pending pod, or one that the bridge has nominated. */
        RESERVED("reserved", "cpu=3", "NUMA: reserved for a"),
        UNKNOWN("unknown", "cpu=3", "NUMA: waits for the node's zones"),
        INVALID("zones", "cpu=1", "invalid annotation");

        private final String group;
        private final String cpus;
        private final String message;

        Situation(String group, String cpus, String message) {
            this.group = group;
            this.cpus = cpus;
            this.message = message;
        }

        private Map<String, String> annotations() {
            return this == INVALID ? Map.of(Annotations.MAX_NUMA_SPREAD, "many") : Map.of();
        }
    }

    /** The priority of the waiting pods, compared with that of the pods on the nodes. */
    private enum Priority {
        HIGHER,
        EQUAL,
        LOWER
    }

    /** Some pods that wait for one reason. */
    private record Row(Situation situation, Priority priority, int count) {

        List<String> pods() {
            return IntStream.range(0, count)
                    .mapToObj(i -> "%s-%s-%d-of-%d"
                            .formatted(situation, priority, i, count)
                            .toLowerCase(Locale.ROOT))
                    .toList();
        }
    }

    /** Attempts of the pods of a row. */
    private record Attempts(int most, int all) {

        static Attempts of(Row row, Map<String, Integer> before, Map<String, Integer> after) {
            List<Integer> each = row.pods().stream()
                    .map(pod -> after.getOrDefault(pod, 0) - before.getOrDefault(pod, 0))
                    .toList();
            return new Attempts(
                    each.stream().mapToInt(Integer::intValue).max().orElseThrow(),
                    each.stream().mapToInt(Integer::intValue).sum());
        }
    }

    /** @param events on other pods while the cluster was busy */
    private record Measured(Attempts settling, Attempts quiet, Attempts busy, int events) {}

    @BeforeAll
    static void start() throws IOException {
        RealKubernetes.binaries();
        cluster = new BareCluster(directory);
        cluster.createPriority("oldest", 2_000);
        cluster.createPriority("higher", 1_000);
        cluster.createPriority("equal", 100);
        cluster.createPriority("lower", 10);
        cluster.createNode("busy", "busy");
        for (String group : List.of("zones", "reserved", "unknown")) {
            for (int i = 0; i < NODES; i++) {
                String node = group + "-" + i;
                cluster.createNode(group, node);
                if (!group.equals("unknown")) {
                    cluster.publishZones(node);
                }
                fill(group, node, "a", "1-2");
                fill(group, node, "b", "4-5");
            }
        }
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static void fill(String group, String node, String name, String cpus) {
        cluster.createPod(
                SimplePod.named(node + "-" + name).on(node).with("c", "cpu=2", "memory=1Gi"),
                group,
                "equal",
                Map.of(Annotations.OBSERVED, "{\"containers\":[{\"name\":\"c\",\"cpus\":\"%s\"}]}".formatted(cpus)));
    }

    @ParameterizedTest(name = "{0} pods a row")
    @ValueSource(ints = {1, 50})
    void triesAWaitingPodOnlyWhenSomethingHappens(int podsPerRow) throws IOException {
        try (Scheduler scheduler = cluster.startScheduler("default-" + podsPerRow, ZoneRefusals.unresolvable)) {
            Map<Row, Measured> table = measure(scheduler, podsPerRow, QUIET, BUSY);

            SoftAssertions softly = new SoftAssertions();
            table.forEach((row, measured) -> {
                softly.assertThat(measured.quiet().most())
                        .as("attempts without events: %s", row)
                        .isLessThanOrEqualTo(1);
                softly.assertThat(measured.settling().most() + measured.quiet().most())
                        .as("attempts since the pod was created: %s", row)
                        .isLessThanOrEqualTo(ATTEMPTS);
                softly.assertThat(measured.busy().most())
                        .as("attempts with pod events: %s", row)
                        .isLessThanOrEqualTo(ATTEMPTS_PER_EVENT * measured.events());
            });
            softly.assertAll();
        }
    }

    /** By default, an idle kube-scheduler of Kubernetes 1.33 or later does not wait for the end of the back-off. */
    @ParameterizedTest(name = "{0} pods a row")
    @ValueSource(ints = {1, 50})
    void triesAWaitingPodWithBackOffWhateverHappens(int podsPerRow) throws IOException {
        try (Scheduler scheduler = cluster.startScheduler(
                "patient-" + podsPerRow, ZoneRefusals.unresolvable, "--feature-gates=SchedulerPopFromBackoffQ=false")) {
            Map<Row, Measured> table = measure(scheduler, podsPerRow, Duration.ZERO, BUSY);

            int byBackOff = (int) BUSY.toSeconds() / maxBackOffSeconds() + 1;
            SoftAssertions softly = new SoftAssertions();
            table.forEach((row, measured) -> softly.assertThat(measured.busy().most())
                    .as("attempts with pod events: %s", row)
                    .isLessThanOrEqualTo(byBackOff));
            softly.assertAll();
        }
    }

    /** What makes the other value of the flag necessary, and shows that the bound of the tests above is one. */
    @Test
    void triesAPodOfHigherPriorityWithoutEndIfZonesAreReportedAsPreemptable() throws IOException {
        try (Scheduler scheduler = cluster.startScheduler("preempting", ZoneRefusals.preemptable)) {
            Map<Row, Measured> table = measure(scheduler, 1, QUIET, Duration.ZERO);

            Measured zones = table.get(new Row(Situation.ZONES, Priority.HIGHER, 1));
            assertThat(zones.quiet().most()).isGreaterThan(10 * ATTEMPTS);
        }
    }

    private static int maxBackOffSeconds() {
        Matcher setting =
                Pattern.compile("podMaxBackoffSeconds: (\\d+)").matcher(cluster.configuration("http://b", "s"));
        assertThat(setting.find()).isTrue();
        return Integer.parseInt(setting.group(1));
    }

    private static Map<Row, Measured> measure(Scheduler by, int podsPerRow, Duration quietTime, Duration busyTime) {
        List<Row> rows = new ArrayList<>();
        for (Situation situation : Situation.values()) {
            for (Priority priority : Priority.values()) {
                rows.add(new Row(situation, priority, podsPerRow));
            }
        }
        List<String> older = reserveANodeForOlderPods(by);
        try {
            rows.forEach(row -> create(row, by.name()));
            awaitTried(rows, by);
            pass(SETTLING);
            Map<String, Integer> settled = by.front().attempts();
            long requeuesBefore = by.requeues();
            pass(quietTime);
            Map<String, Integer> quiet = by.front().attempts();
            long requeuesQuiet = by.requeues() - requeuesBefore;
            assertWhyTheyWait(rows);
            int events = createAndDeletePods(busyTime);
            Map<String, Integer> last = by.front().attempts();
            Map<Row, Measured> table = new LinkedHashMap<>();
            for (Row row : rows) {
                table.put(
                        row,
                        new Measured(
                                Attempts.of(row, Map.of(), settled),
                                Attempts.of(row, settled, quiet),
                                Attempts.of(row, quiet, last),
                                events));
            }
            print(by, rows, table);
            System.out.printf(
                    "older pods that the bridge had tried again: %d without events, %d with %d events%n",
                    requeuesQuiet, by.requeues() - requeuesBefore - requeuesQuiet, events);
            return table;
        } finally {
            rows.forEach(row -> row.pods().forEach(cluster::deletePod));
            older.forEach(cluster::deletePod);
            fill("reserved", "reserved-0", "b", "4-5");
        }
    }

    /** Until here, no attempt was one that the bridge had asked for. */
    private static void assertWhyTheyWait(List<Row> rows) {
        rows.forEach(row -> assertThat(cluster.conditions(row.pods().get(0)))
                .contains(row.situation().message)
                .doesNotContain("SchedulingRetryRequested"));
    }

    private static void print(Scheduler by, List<Row> rows, Map<Row, Measured> table) {
        System.out.printf(
                "%nattempts of a pod at most, and of all pods; scheduler %s%n%-10s %-8s %4s  %-12s %-14s %s%n",
                by.name(), "SITUATION", "PRIORITY", "PODS", "FIRST", "QUIET", "BUSY");
        for (Row row : rows) {
            Measured each = table.get(row);
            System.out.printf(
                    "%-10s %-8s %4d  %-12s %-14s %s%n",
                    row.situation(),
                    row.priority(),
                    row.count(),
                    text(each.settling()),
                    text(each.quiet()),
                    text(each.busy()));
        }
    }

    private static String text(Attempts attempts) {
        return "%d, %d".formatted(attempts.most(), attempts.all());
    }

    /** Older pods that nobody tries: one after the other, they have the first node of the group for ten seconds. */
    private static List<String> reserveANodeForOlderPods(Scheduler by) {
        List<String> nodes =
                IntStream.range(0, NODES).mapToObj(i -> "reserved-" + i).toList();
        List<String> older =
                IntStream.range(0, OLDER_PODS).mapToObj(i -> "older-" + i).toList();
        for (String name : older) {
            Pod pod = cluster.createPod(
                    SimplePod.named(name).scheduledBy("nobody").with("c", "cpu=3", "memory=1Gi"),
                    "reserved",
                    "oldest",
                    Map.of());
            await("the bridge knows the pod")
                    .atMost(TIMEOUT)
                    .until(() ->
                            by.bridge().cluster().pods().get("default/" + name).isPresent());
            assertThat(by.filter(pod, nodes)).contains("\"NodeNames\":[]");
        }
        pass(PendingPods.HOLD_AFTER);
        cluster.deletePod("reserved-0-b");
        await("the node could run an older pod")
                .atMost(TIMEOUT)
                .until(() ->
                        by.bridge().cluster().pods().get("default/reserved-0-b").isEmpty());
        return older;
    }

    private static void create(Row row, String schedulerName) {
        for (String name : row.pods()) {
            cluster.createPod(
                    SimplePod.named(name).scheduledBy(schedulerName).with("c", row.situation().cpus, "memory=64Mi"),
                    row.situation().group,
                    row.priority().name().toLowerCase(Locale.ROOT),
                    row.situation().annotations());
        }
    }

    private static void awaitTried(List<Row> rows, Scheduler by) {
        await("each pod has been tried")
                .atMost(TIMEOUT)
                .until(() -> rows.stream()
                        .allMatch(row -> by.front().attempts().keySet().containsAll(row.pods())));
    }

    /** Ten pods a second come and go on a node of their own. Returns the number of events. */
    private static int createAndDeletePods(Duration time) {
        long begin = System.nanoTime();
        int pods = 0;
        for (; System.nanoTime() - begin < time.toNanos(); pods++) {
            String name = "passing-" + pods;
            cluster.createPod(SimplePod.named(name).on("busy").burstable("c", "cpu=1m"), "busy", "equal", Map.of());
            cluster.deletePod(name);
            long due = begin + Duration.ofMillis(100L * (pods + 1)).toNanos();
            await().atMost(Duration.ofMinutes(3))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> System.nanoTime() >= due);
        }
        return 2 * pods;
    }

    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(time.plus(TIMEOUT)).until(() -> System.nanoTime() >= end);
    }
}
