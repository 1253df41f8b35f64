package io.numaledger.scheduling.state;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.BindRequest;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.UnknownNodePolicy;
import io.numaledger.evaluation.snapshot.UnknownNodes;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The watches of pods, Nodes, NodeResourceTopologies, claims and BindRequests bring their events in order, each on a thread of its own, while
 * another thread reads, and binds a pod for a moment. However they interleave, the state is that of a bridge that starts with the final objects. Objects are deleted and
 * made again under their name, with and without an event of their deletion, and events come twice.
 */
@Timeout(60)
class InterleavedEventsTest {

    /** Enough for a few seconds. {@code -Dnumaledger.seeds=N} runs more. */
    private static final int SEEDS = Integer.getInteger("numaledger.seeds", 200);

    private static final int EVENTS = 40;
    private static final List<String> NODES = List.of("n0", "n1", "n2");
    private static final List<String> PODS = List.of("p0", "p1", "p2", "p3", "p4", "p5");
    private static final List<String> CLAIMS = List.of("c0", "c1", "c2");
    private static final int INSTANCES = 3;

    /** What is taken for granted for a node without zones depends on whether it had some: not so with this policy. */
    private static final SnapshotSettings SETTINGS = new SnapshotSettings(
            false,
            Collections.emptySortedSet(),
            new UnknownNodes(UnknownNodePolicy.refuse, Duration.ofMinutes(1)),
            Duration.ZERO,
            SnapshotSettings.DEFAULT.gpuLinks());

    private static final Map<String, PodFacts> READ_PODS = new ConcurrentHashMap<>();
    private static final Map<String, ClusterObjects> READ_NODES = new ConcurrentHashMap<>();
    private static final ExecutorService THREADS = Executors.newCachedThreadPool();

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @AfterAll
    static void end() {
        THREADS.shutdownNow();
    }

    /** A cluster that is fed by several watches. */
    private final class Watched {

        private final TestCluster cluster = new TestCluster(SETTINGS, (pod, reservation) -> {}, now::get);
        private final ClusterState state = cluster.state;
        private final TestClaims claims = new TestClaims(state.claims());

        /** Whatever ends with time has ended. */
        private void settle() {
            for (int step = 0; step < 3; step++) {
                now.updateAndGet(instant -> instant.plus(Duration.ofMinutes(30)));
                state.expire();
                state.snapshots();
            }
        }

        /** A record that contradicted the zones stays set aside until zones are published that can be compared with the pods. */
        private boolean hasDoubts(String node) {
            return !state.recordsSetAside(node).isEmpty();
        }

        private SortedMap<String, Object> byNode() {
            SortedMap<String, Object> all = new TreeMap<>();
            PodFacts other = ClusterYaml.pending("other", "cpu: \"1\", memory: 1Gi");
            NodeIndex index = state.index();
            for (int at = 0; at < index.size(); at++) {
                String name = index.name(at);
                Optional<NodeSnapshot> snapshot = state.snapshot(name);
                all.put(name + " pods", state.podsOn(name));
                all.put(name + " requested", state.use(name).map(NodeUse::requested));
                all.put(name + " nominated", keys(state.reserved().before(other, name)));
                all.put(name + " model", snapshot.flatMap(each -> each.model().unmodelled()));
                all.put(
                        name + " without model",
                        snapshot.map(each -> each.unknowns().withoutModel()));
                all.put(name + " zones", snapshot.flatMap(NodeSnapshot::now));
                all.put(name + " zones after releases", snapshot.flatMap(NodeSnapshot::afterReleases));
                all.put(name + " holders", snapshot.map(NodeSnapshot::pods));
                all.put(name + " set aside", snapshot.map(any -> state.recordsSetAside(name)));
                all.put(
                        name + " states",
                        state.snapshots(name).map(each -> each.snapshots().count()));
            }
            NODES.forEach(name -> all.put(name + " devices", state.claims().devices(name)));
            all.put("shared devices", state.claims().devices(""));
            all.put("nodes with devices", state.claims().nodes());
            all.put("in flight", state.reservations());
            all.put("pods", new TreeMap<>(byKey(state)));
            all.put("groups", new TreeMap<>(members(state)));
            all.put("is nothing reserved", state.reserved().isEmpty());
            return all;
        }
    }

    private static List<String> keys(List<PodFacts> pods) {
        return pods.stream().map(PodFacts::key).sorted().toList();
    }

    private static Map<String, PodFacts> byKey(ClusterState state) {
        Map<String, PodFacts> pods = new HashMap<>();
        state.pods().all().forEach(pod -> pods.put(pod.key(), pod));
        return pods;
    }

    private static Map<String, List<String>> members(ClusterState state) {
        Map<String, List<String>> members = new HashMap<>();
        state.pods()
                .groups()
                .forEach(
                        group -> members.put(group.toString(), keys(state.pods().ofGroup(group))));
        return members;
    }

    /** The events of one watch in their order, and the objects that are there at its end. */
    private static final class Events {

        private final List<Consumer<Watched>> all = new ArrayList<>();
        private final Map<String, Consumer<Watched>> last = new LinkedHashMap<>();

        private void seen(String key, Consumer<Watched> event) {
            all.add(event);
            last.remove(key);
            last.put(key, event);
        }

        private void gone(String key, Consumer<Watched> event) {
            all.add(event);
            last.remove(key);
        }
    }

    private static <T> T any(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static Events nodes(Random random) {
        Events events = new Events();
        for (int i = 0; i < EVENTS; i++) {
            String name = any(random, NODES);
            if (random.nextInt(3) == 0) {
                events.gone(name, to -> to.state.nodeDeleted(name));
            } else {
                ClusterObjects objects = objects(name, random);
                events.seen(name, to -> to.state.nodeChanged(objects.nodes().get(name)));
            }
        }
        return events;
    }

    private static ClusterObjects objects(String name, Random random) {
        String zones = random.nextBoolean()
                ? ClusterYaml.node(name, random.nextBoolean() ? "single-numa-node" : "restricted")
                : ClusterYaml.nodeOfAgent(name, random.nextInt(5), random.nextInt(5), "default/" + any(random, PODS));
        return READ_NODES.computeIfAbsent(zones, yaml -> ClusterYaml.read(yaml));
    }

    private static Events topologies(Random random) {
        Events events = new Events();
        for (int i = 0; i < EVENTS; i++) {
            String name = any(random, NODES);
            int kind = random.nextInt(8);
            if (kind < 2) {
                events.gone(name, to -> to.state.topologyDeleted(name));
            } else if (kind == 2) {
                events.seen(name, to -> to.state.topologyUnreadable(name, "broken"));
            } else {
                ClusterObjects objects = objects(name, random);
                events.seen(
                        name,
                        to -> to.state.topologyChanged(objects.topologies().get(name), Instant.EPOCH));
            }
        }
        return events;
    }

    private static Events pods(Random random) {
        Events events = new Events();
        Map<String, PodFacts> known = new HashMap<>();
        Map<String, Integer> instances = new HashMap<>();
        for (int i = 0; i < 2 * EVENTS; i++) {
            String name = any(random, PODS);
            PodFacts before = known.get(name);
            if (before != null && random.nextInt(3) == 0) {
                events.gone(name, to -> to.state.podDeleted(before));
                known.remove(name);
                instances.merge(name, 1, Integer::sum);
            } else {
                if (before != null && random.nextInt(5) == 0) {
                    instances.merge(name, 1, Integer::sum); // a new one whose predecessor's end the watch has missed
                }
                PodFacts pod = pod(name, instances.getOrDefault(name, 0) % INSTANCES, random.nextInt(6));
                known.put(name, pod);
                events.seen(name, to -> to.state.podChanged(pod));
            }
        }
        return events;
    }

    /** An instance of a pod runs on one node. */
    private static PodFacts pod(String name, int instance, int phase) {
        int number = Integer.parseInt(name.substring(1));
        String node = NODES.get((number + instance) % NODES.size());
        String limits = "cpu: \"%d\", memory: 1Gi".formatted(1 + number % 2);
        String bound = "  nodeName: " + node;
        String record =
                ", annotations: {numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"%s\"}]}'}"
                        .formatted(number % 2 == 0 ? Integer.toString(1 + number) : number + "-" + (number + 1));
        String group = number < 2 ? ", labels: {numaledger.io/pod-group: g%d}".formatted(instance % 2) : "";
        String running = ClusterYaml.pod(name, limits, group + record, bound, ", phase: Running");
        String yaml = switch (phase) {
            case 0 -> ClusterYaml.pod(name, limits, group, "", ", phase: Pending");
            case 1 -> ClusterYaml.pod(name, limits, group, "", ", phase: Pending, nominatedNodeName: " + node);
            case 2 -> ClusterYaml.pod(name, limits, group, bound, ", phase: Pending");
            case 3 -> ClusterYaml.terminating(running);
            case 4 -> ClusterYaml.pod(name, limits, group, bound, ", phase: Failed");
            default -> running;
        };
        return READ_PODS.computeIfAbsent(
                yaml.replace("uid: uid-" + name, "uid: uid-%s-%d".formatted(name, instance)), ClusterYaml::parsePod);
    }

    private static Events claims(Random random) {
        Events events = new Events();
        for (int i = 0; i < EVENTS; i++) {
            String name = any(random, CLAIMS);
            String node = any(random, NODES);
            int device = random.nextInt(2);
            switch (random.nextInt(3)) {
                case 0 -> events.gone(name, to -> to.state.claims().claimDeleted("default", name));
                case 1 -> events.seen(name, to -> to.claims.claim(name, 1));
                default -> events.seen(name, to -> to.claims.allocated(name, node, device, "p0"));
            }
        }
        return events;
    }

    private static Events slices(Random random) {
        Events events = new Events();
        for (int i = 0; i < EVENTS; i++) {
            String node = any(random, NODES);
            int[] devices = random.ints(2, 0, 2).toArray(); // one that vanishes would be kept for its claim
            events.seen(node, to -> to.claims.devices(node, devices));
        }
        return events;
    }

    private static Events bindRequests(Random random) {
        Events events = new Events();
        for (int i = 0; i < EVENTS; i++) {
            String name = any(random, PODS);
            String node = any(random, NODES);
            if (random.nextInt(3) == 0) {
                events.gone(name, to -> to.state.bindRequestDeleted("default/" + name));
            } else {
                events.seen(
                        name,
                        to -> to.state.bindRequestChanged(
                                new BindRequest("default", name, Optional.empty(), node, Optional.empty(), false),
                                Set.of()));
            }
        }
        return events;
    }

    private void run(List<Events> watches, Watched to, long seed) throws InterruptedException, ExecutionException {
        CyclicBarrier start = new CyclicBarrier(watches.size() + 1);
        List<Future<?>> threads = new ArrayList<>();
        for (int i = 0; i < watches.size(); i++) {
            List<Consumer<Watched>> events = watches.get(i).all;
            Random random = new Random(seed + i);
            threads.add(THREADS.submit(on(
                    start,
                    () -> events.forEach(event -> {
                        int times = random.nextInt(5) == 0 ? 2 : 1;
                        for (int time = 0; time < times; time++) {
                            event.accept(to);
                        }
                        if (random.nextInt(4) == 0) {
                            LockSupport.parkNanos(1);
                        }
                    }))));
        }
        threads.add(THREADS.submit(on(start, () -> {
            PodFacts passing = ClusterYaml.pending("passing", "cpu: \"1\", memory: 1Gi");
            for (int i = 0; i < EVENTS; i++) {
                String node = NODES.get(i % NODES.size());
                to.state.uses(EvaluationBudget.NONE);
                to.state.binds().bind(node, passing, Optional::isPresent);
                to.state.binds().cancel(node, passing);
                to.state.expire();
            }
        })));
        for (Future<?> thread : threads) {
            thread.get();
        }
    }

    private static Callable<Boolean> on(CyclicBarrier start, Runnable task) {
        return () -> {
            start.await();
            task.run();
            return true;
        };
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void endInTheStateOfAFreshStart(long seed) throws InterruptedException, ExecutionException {
        Random random = new Random(seed);
        List<Events> watches = List.of(
                nodes(random), topologies(random), pods(random), claims(random), slices(random), bindRequests(random));
        Watched watched = new Watched();
        run(watches, watched, seed);
        Watched fresh = new Watched();
        watches.forEach(watch -> watch.last.values().forEach(event -> event.accept(fresh)));

        watched.settle();
        fresh.settle();

        SortedMap<String, Object> expected = fresh.byNode();
        SortedMap<String, Object> found = watched.byNode();
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        Set<String> doubting = NODES.stream()
                .filter(name -> watched.hasDoubts(name) && !fresh.hasDoubts(name))
                .collect(Collectors.toSet());
        found.forEach((what, value) -> {
            if (!doubting.contains(what.split(" ")[0])) {
                assertThat(value).as(what).isEqualTo(expected.get(what));
            }
        });
    }
}
