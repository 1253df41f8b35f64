package io.numaledger.simulator.fleet;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.simulator.socket.FreePort;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A bridge of its own process over a large generated cluster: time to ready, heap, and how long filter and prioritize take
 * while pods come and go. Not part of the build; {@code docs/develop.md} says how to run it.
 *
 * <p>Arguments: nodes, pods, {@code counts}, {@code options}, {@code full} or {@code mixed}, calls a second, seconds, percent of pods of a
 * new shape, pod events a second.
 */
public final class FleetBenchmark {

    /** One for all questions: the server keeps 200 idle connections, and cuts those that were used last beyond that. */
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private static final Pattern USED = Pattern.compile(".*(?:generation|heap|Gen) .* used (\\d+)K.*");

    private FleetBenchmark() {}

    /** Prints one line for each measurement. */
    public static void main(String[] args) throws IOException, InterruptedException {
        int count = number(args, 0, 5000);
        int pods = number(args, 1, 100_000);
        FleetKinds kinds = FleetKinds.valueOf((args.length > 2 ? args[2] : "mixed").toUpperCase(Locale.ROOT));
        int rate = number(args, 3, 200);
        int seconds = number(args, 4, 30);
        int newShapes = number(args, 5, 5);
        int events = number(args, 6, 20);
        List<FleetNode> nodes = nodes(count, pods / count, kinds);
        Path directory = Files.createTempDirectory("fleet");
        try (FleetApi api = new FleetApi(nodes, pods / count)) {
            int port = FreePort.next();
            Process bridge =
                    bridge(api.writeKubeconfig(directory.resolve("kubeconfig")), port, directory.resolve("bridge.log"));
            try {
                String url = "http://127.0.0.1:" + port;
                awaitReady(bridge, url);
                print(
                        "ready",
                        "nodes=%d pods=%d kinds=%s took_ms=%d cpu_ms=%d heap_mb=%d rss_mb=%d"
                                .formatted(
                                        count,
                                        pods,
                                        kinds,
                                        sinceStart(bridge),
                                        cpuMillis(bridge),
                                        heapMegabytes(bridge),
                                        rssMegabytes(bridge)));
                warmUp(url, nodes, newShapes, rate, seconds);
                long before = cpuMillis(bridge);
                int calls = load(url, nodes, newShapes, rate, seconds, events, api);
                print("cpu", "bridge_ms_per_call=%.2f".formatted((double) (cpuMillis(bridge) - before) / calls));
                print("after", "heap_mb=%d rss_mb=%d".formatted(heapMegabytes(bridge), rssMegabytes(bridge)));
                evaluations(url);
            } finally {
                bridge.destroy();
                bridge.waitFor(10, TimeUnit.SECONDS);
            }
        }
        System.exit(0);
    }

    private static int number(String[] args, int at, int otherwise) {
        return args.length > at ? Integer.parseInt(args[at]) : otherwise;
    }

    private static List<FleetNode> nodes(int count, int perNode, FleetKinds kinds) {
        List<KubeletModel> kubelets = kinds.kubelets();
        return IntStream.range(0, count)
                .parallel()
                .mapToObj(i -> {
                    FleetNode node = new FleetNode("node-%05d".formatted(i), kubelets.get(i % kubelets.size()), i);
                    node.fill(perNode);
                    return node;
                })
                .toList();
    }

    private static Process bridge(Path kubeconfig, int port, Path log) throws IOException {
        List<String> flags = List.of(
                System.getProperty("bridge.flags", "-Xmx1g -XX:+UseSerialGC").split(" "));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "io.numaledger.bridge.BridgeMain",
                "run",
                "--insecure-http",
                "--kubeconfig=" + kubeconfig,
                "--listen=127.0.0.1:" + port));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static void awaitReady(Process bridge, String url) throws InterruptedException {
        while (bridge.isAlive() && !"200".equals(status(url + "/readyz"))) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        if (!bridge.isAlive()) {
            throw new IllegalStateException("the bridge ended: rc=%d; see bridge.log".formatted(bridge.exitValue()));
        }
    }

    private static String status(String url) throws InterruptedException {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
            return Integer.toString(
                    HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
        } catch (IOException notYet) {
            return notYet.toString();
        }
    }

    private static long sinceStart(Process bridge) {
        return System.currentTimeMillis()
                - bridge.info().startInstant().orElseThrow().toEpochMilli();
    }

    /** What is reachable: right after a full collection. */
    private static long heapMegabytes(Process bridge) throws IOException, InterruptedException {
        jcmd(bridge, "GC.run");
        String info = jcmd(bridge, "GC.heap_info");
        return info.lines()
                        .map(USED::matcher)
                        .filter(Matcher::matches)
                        .mapToLong(used -> Long.parseLong(used.group(1)))
                        .sum()
                / 1024;
    }

    private static String jcmd(Process bridge, String what) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(bridge.pid()),
                        what)
                .start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return answer;
    }

    private static long rssMegabytes(Process bridge) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + bridge.pid() + "/status")).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")))
                        .sum()
                / 1024;
    }

    private static long cpuMillis(Process bridge) {
        return bridge.info().totalCpuDuration().orElseThrow().toMillis();
    }

    private static void warmUp(String url, List<FleetNode> nodes, int newShapes, int rate, int seconds)
            throws IOException, InterruptedException {
        ExtenderLoad load =
                new ExtenderLoad(url, nodes.stream().map(FleetNode::name).toList(), newShapes / 100.0);
        long begun = System.nanoTime();
        load.warmUp();
        print("shapes", "first_calls_mean_ms=%.1f".formatted((System.nanoTime() - begun) / 60e6));
        load.run(rate / 2, seconds / 2);
        print("known shape alone", ExtenderLoad.percentiles(load.alone(false, 100)));
        print("new shape alone", ExtenderLoad.percentiles(load.alone(true, 100)));
    }

    /** How many calls there were. */
    private static int load(
            String url, List<FleetNode> nodes, int newShapes, int rate, int seconds, int events, FleetApi api)
            throws IOException, InterruptedException {
        ExtenderLoad load =
                new ExtenderLoad(url, nodes.stream().map(FleetNode::name).toList(), newShapes / 100.0);
        ScheduledExecutorService churn = Executors.newSingleThreadScheduledExecutor();
        Random random = new Random(11);
        if (events > 0) {
            var unused = churn.scheduleAtFixedRate(
                    () -> change(nodes.get(random.nextInt(nodes.size())), api, random.nextBoolean()),
                    0,
                    NANOS_PER_SECOND / events,
                    TimeUnit.NANOSECONDS);
        }
        long[] took = load.run(rate, seconds);
        churn.shutdownNow();
        print(
                "load",
                "calls=%d rate=%d new_shapes_percent=%d events=%d %s machine_load=%s"
                        .formatted(
                                took.length, rate, newShapes, events, ExtenderLoad.percentiles(took), machineLoad()));
        print("first of a shape under load", ExtenderLoad.percentiles(load.firstOfShape()));
        return took.length;
    }

    private static void change(FleetNode node, FleetApi api, boolean add) {
        if (add || node.pods().isEmpty()) {
            api.podEvent("ADDED", node.add());
        } else {
            api.podEvent("DELETED", node.remove());
        }
    }

    private static String machineLoad() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }

    private static void evaluations(String url) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + "/metrics")).build();
        HTTP.send(request, HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("numaledger_bridge_evaluations_total"))
                .forEach(line -> print("evaluations", line));
    }

    private static void print(String what, String text) {
        System.out.println("measured: " + what + " " + text);
    }
}
