package io.numaledger.images.rootfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiservers.fake.SelfSignedCertificate;
import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.fleet.ArrivingPods;
import io.numaledger.simulator.fleet.EventLog;
import io.numaledger.simulator.fleet.FleetApi;
import io.numaledger.simulator.fleet.FleetMix;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Runs the bridge of a root file system over a generated cluster, and archives the classes that it used. kube-scheduler's calls about
 * pods of each kind are repeated until the compiler has counted which code is hot, because Java 25 keeps these counts.
 */
@Command(
        name = "train-bridge",
        description = "Makes the class archive of the bridge's root file system; a step of ./numaledger rootfs.",
        mixinStandardHelpOptions = true)
public final class TrainBridgeCommand implements Callable<Integer> {

    private static final Duration READY = Duration.ofMinutes(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final int NODES = 500;
    private static final int PODS_PER_NODE = 10;

    /** Pods that arrive; all verbs are called for each of them. */
    private static final int PODS = 600;

    private static final int KNOWN_REQUESTS = 30;
    private static final int MANY_CPUS = 100;
    private static final int TOO_MANY_GPUS = 6;

    private final Random random = new Random(1);
    private final List<PodRequest> known = new ArrayList<>();

    @Parameters(paramLabel = "ROOT", description = "the root file system")
    private Path root;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClassArchive archive = new ClassArchive(root, "bridge");
        Path account = root.resolve(ContainedProgram.ACCOUNT.substring(1));
        SelfSignedCertificate keys =
                SelfSignedCertificate.create(archive.directory().resolve("keys.p12"));
        List<FleetNode> fleet = FleetMix.MIXED.nodes(NODES, PODS_PER_NODE);
        try (ArrivingPods pods = new ArrivingPods(
                        fleet.stream().collect(Collectors.toMap(FleetNode::name, Function.identity())));
                FleetApi api = FleetApi.withTls(fleet, PODS_PER_NODE, pods, keys.server())) {
            pods.publishTo(api.podEvents());
            Files.writeString(account.resolve("ca.crt"), keys.certificate());
            Files.writeString(account.resolve("token"), "train");
            Files.writeString(account.resolve("namespace"), "default");
            runBridge(archive, api.address(), fleet, pods);
            archive.write();
        } finally {
            archive.deleteRecords();
            for (String file : List.of("ca.crt", "token", "namespace")) {
                Files.deleteIfExists(account.resolve(file));
            }
        }
        return 0;
    }

    /** As the chart does, so that the classes of TLS and of the election are archived as well. */
    private void runBridge(ClassArchive archive, InetSocketAddress api, List<FleetNode> fleet, ArrivingPods pods)
            throws IOException, InterruptedException {
        ChartBridge chart = ChartBridge.local(archive.directory(), "/train");
        Process bridge = archive.recording()
                .environment("KUBERNETES_SERVICE_HOST", "127.0.0.1")
                .environment("KUBERNETES_SERVICE_PORT", Integer.toString(api.getPort()))
                .process(archive.recordingArguments(chart.arguments().toArray(String[]::new)))
                .inheritIO()
                .start();
        HttpClient http = HttpClient.newBuilder().sslContext(chart.client()).build();
        Calls verbs = new Calls(http, URI.create(chart.url()));
        Calls probes = new Calls(http, URI.create("http://127.0.0.1:" + chart.metricsPort()));
        try {
            awaitReady(bridge, probes);
            for (int i = 0; i < PODS; i++) {
                FleetPod pod = new FleetPod("train-" + i, "", request(i), Optional.empty());
                pods.create(List.of(pod));
                schedule(verbs, pod, fleet);
            }
            for (String path : List.of("/metrics", "/healthz")) {
                probes.status(path);
            }
        } finally {
            bridge.destroy();
            if (!bridge.waitFor(20, TimeUnit.SECONDS)) {
                bridge.destroyForcibly();
            }
        }
    }

    /** Calls of one of the bridge's ports. */
    private record Calls(HttpClient http, URI address) {

        String post(String path, String body) throws IOException, InterruptedException {
            HttpResponse<String> response =
                    send(HttpRequest.newBuilder(address.resolve(path)).POST(BodyPublishers.ofString(body)));
            if (response.statusCode() != 200) {
                throw new IOException("the bridge did not answer: path=%s status=%d: %s"
                        .formatted(path, response.statusCode(), response.body()));
            }
            return response.body();
        }

        int status(String path) throws IOException, InterruptedException {
            return send(HttpRequest.newBuilder(address.resolve(path))).statusCode();
        }

        private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
            return http.send(request.build(), BodyHandlers.ofString());
        }
    }

    /** Every other pod has a known request; the others have a new one that fits one zone, needs several, or fits nowhere. */
    private PodRequest request(int number) {
        PodRequest request = switch (number % 6) {
            case 1 -> FleetPod.request(MANY_CPUS, 0, 0, random);
            case 3 -> FleetPod.request(1, TOO_MANY_GPUS, 0, random);
            case 5 -> FleetPod.request("load/new", random);
            default -> known(number);
        };
        return PodRequest.of("load/train-" + number, request.containers().get(0));
    }

    private PodRequest known(int number) {
        if (known.size() < KNOWN_REQUESTS) {
            known.add(FleetPod.request("load/known", random));
        }
        return known.get(number % known.size());
    }

    /** What kube-scheduler calls for one pod. If no node fits it, victims on some nodes are proposed. */
    private void schedule(Calls verbs, FleetPod pod, List<FleetNode> fleet) throws IOException, InterruptedException {
        String shown = pod.waiting(EventLog.FIRST_VERSION);
        JsonNode fitting = JSON.readTree(verbs.post(
                "/filter", arguments(shown, fleet.stream().map(FleetNode::name).toList())));
        List<String> names = new ArrayList<>();
        fitting.path("NodeNames").forEach(name -> names.add(name.asText()));
        if (names.isEmpty()) {
            verbs.post(
                    "/filter",
                    arguments(shown, fleet.stream().map(FleetNode::name).toList()));
            verbs.post("/preempt", victims(shown, fleet.subList(0, PODS_PER_NODE)));
            return;
        }
        verbs.post("/prioritize", arguments(shown, names));
        verbs.post(
                "/bind",
                "{\"PodName\":\"%1$s\",\"PodNamespace\":\"load\",\"PodUID\":\"uid-%1$s\",\"Node\":\"%2$s\"}"
                        .formatted(pod.name(), names.get(random.nextInt(names.size()))));
    }

    private static String arguments(String pod, List<String> names) {
        return "{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[\"%s\"]}".formatted(pod, String.join("\",\"", names));
    }

    private static String victims(String pod, List<FleetNode> nodes) {
        return "{\"Pod\":%s,\"NodeNameToMetaVictims\":{%s}}"
                .formatted(
                        pod,
                        nodes.stream()
                                .map(node -> "\"%s\":{\"Pods\":[%s],\"NumPDBViolations\":0}"
                                        .formatted(
                                                node.name(),
                                                List.copyOf(node.pods()).stream()
                                                        .map(each -> "{\"UID\":\"uid-%s\"}".formatted(each.name()))
                                                        .collect(Collectors.joining(","))))
                                .collect(Collectors.joining(",")));
    }

    private static void awaitReady(Process bridge, Calls probes) throws IOException, InterruptedException {
        long end = System.nanoTime() + READY.toNanos();
        while (!isReady(probes)) {
            if (!bridge.isAlive() || System.nanoTime() > end) {
                throw new IOException(
                        "the bridge is not ready: address=%s; see its messages above".formatted(probes.address()));
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private static boolean isReady(Calls probes) throws InterruptedException {
        try {
            return probes.status("/readyz") == 200;
        } catch (IOException notListening) {
            return false;
        }
    }
}
