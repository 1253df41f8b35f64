package io.numaledger.simulator.demo;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.annotation.Annotations;
import io.numaledger.fakeapiserver.EmbeddedApiServer;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.placement.Amounts;
import io.numaledger.realapiserver.RealApiServer;
import io.numaledger.simulator.hardware.ExampleNodes;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.node.ReportLag;
import io.numaledger.simulator.node.SimulatedNodes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** {@code demo}: three simulated nodes, from the kubelets' sockets to the objects in the API server. */
@Command(
        name = "demo",
        description = "Three simulated nodes with an agent each, a dozen pods, and what became of them.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {

    private static final Duration TIMEOUT = Duration.ofSeconds(45);

    @Option(
            names = "--kube-assets",
            paramLabel = "DIR",
            description =
                    "a directory with etcd and kube-apiserver (default: KUBEBUILDER_ASSETS; else a server in memory)")
    private Optional<Path> assets = Optional.ofNullable(System.getenv("KUBEBUILDER_ASSETS"))
            .filter(path -> !path.isBlank())
            .map(Path::of);

    @Option(names = "--keep", description = "leave everything running until Ctrl-C, to look at it with kubectl")
    private boolean keep;

    private final PrintStream out = System.out;

    @Override
    public Integer call() throws Exception {
        Path directory = Files.createTempDirectory("numaledger-demo");
        boolean real = assets.filter(path ->
                        Files.isExecutable(path.resolve("kube-apiserver")) && Files.isExecutable(path.resolve("etcd")))
                .isPresent();
        if (real) {
            out.println("API server: a real kube-apiserver with etcd, from " + assets.get());
            try (RealApiServer server = RealApiServer.start(assets.get(), directory.resolve("api"))) {
                return run(server.kubeconfig(), directory);
            }
        }
        out.println("API server: in memory (set KUBEBUILDER_ASSETS or --kube-assets to use a real one)");
        try (EmbeddedApiServer server = EmbeddedApiServer.start()) {
            return run(server.writeKubeconfig(directory.resolve("kubeconfig")), directory);
        }
    }

    private int run(Path kubeconfig, Path directory) throws Exception {
        List<NodeSpec> specs = ExampleNodes.read();
        try (SimulatedNodes nodes = SimulatedNodes.start(kubeconfig, specs, directory, node -> ReportLag.none())) {
            KubernetesClient client = nodes.client();
            List<DemoPods.Wanted> wanted = DemoPods.read();
            place(client, specs, wanted);
            boolean settled = await(() -> published(client, specs));
            List<NodeTopology> topologies = topologies(client, specs);
            List<Pod> pods = client.pods().inNamespace("default").list().getItems();
            show(topologies, inOrder(pods, wanted));
            out.print(DemoReport.refusals(inOrder(pods, wanted), nodes::refusal));
            dump(client, directory.resolve("objects"), specs);
            out.printf("%nStored objects and agent logs: %s%n", directory);
            if (keep) {
                out.printf(
                        "Look around with: kubectl --kubeconfig %s get pods,noderesourcetopologies -o yaml; end with Ctrl-C%n",
                        kubeconfig);
                Thread.currentThread().join();
            }
            if (!settled) {
                System.err.println(
                        "not everything was published within " + TIMEOUT.toSeconds() + " s; see the agents' logs");
            }
            return settled ? 0 : 1;
        }
    }

    /** Creates the pods one by one, and binds each as a scheduler without zones would. */
    private void place(KubernetesClient client, List<NodeSpec> specs, List<DemoPods.Wanted> wanted)
            throws InterruptedException {
        LeastAllocatedScheduler scheduler = new LeastAllocatedScheduler();
        for (NodeSpec spec : specs) {
            Map<String, Long> free = new TreeMap<>();
            client.nodes()
                    .withName(spec.name())
                    .get()
                    .getStatus()
                    .getAllocatable()
                    .forEach((name, quantity) -> free.put(name, Amounts.amount(name, quantity.toString())));
            scheduler.node(spec.name(), Amounts.of(free));
        }
        for (DemoPods.Wanted pod : wanted) {
            Map<String, Long> request = new TreeMap<>();
            pod.resources()
                    .forEach((name, text) -> request.put(name, Amounts.amount(name, new Quantity(text).toString())));
            Optional<String> node = scheduler.pick(Amounts.of(request));
            client.resource(DemoPods.pod(pod, node.orElse(null))).create();
            if (node.isPresent()) {
                await(() -> !"Pending".equals(phase(client, pod.name())));
                if ("Failed".equals(phase(client, pod.name()))) {
                    scheduler.refused(node.get(), Amounts.of(request));
                }
            }
        }
    }

    private static String phase(KubernetesClient client, String name) {
        Pod pod = client.pods().inNamespace("default").withName(name).get();
        return pod.getStatus() == null || pod.getStatus().getPhase() == null
                ? "Pending"
                : pod.getStatus().getPhase();
    }

    /** Whether every running pod that holds exclusive CPUs or a device is annotated, and every node has its topology. */
    private static boolean published(KubernetesClient client, List<NodeSpec> specs) {
        boolean records = client.pods().inNamespace("default").list().getItems().stream()
                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                .filter(pod -> holdsSomething(pod))
                .allMatch(pod -> pod.getMetadata().getAnnotations() != null
                        && pod.getMetadata().getAnnotations().containsKey(Annotations.OBSERVED));
        return records && topologies(client, specs).size() == specs.size();
    }

    private static boolean holdsSomething(Pod pod) {
        boolean devices = pod.getSpec().getContainers().get(0).getResources().getRequests().keySet().stream()
                .anyMatch(resource -> resource.contains("/"));
        return devices || "Guaranteed".equals(pod.getStatus().getQosClass());
    }

    private static List<NodeTopology> topologies(KubernetesClient client, List<NodeSpec> specs) {
        List<NodeTopology> found = new ArrayList<>();
        for (NodeSpec spec : specs) {
            try {
                String text = client.raw("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/" + spec.name());
                if (text != null) {
                    found.add(NodeTopologyJson.read(text));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    private static List<Pod> inOrder(List<Pod> pods, List<DemoPods.Wanted> wanted) {
        Map<String, Pod> byName = new TreeMap<>();
        pods.forEach(pod -> byName.put(pod.getMetadata().getName(), pod));
        return wanted.stream().map(pod -> byName.get(pod.name())).toList();
    }

    private void show(List<NodeTopology> topologies, List<Pod> pods) {
        out.println();
        out.println("Pods in order of creation, placed by node totals only:");
        out.println();
        out.print(DemoReport.pods(pods));
        out.println();
        out.println("Zones, available of allocatable (NodeResourceTopology):");
        out.println();
        out.print(DemoReport.zones(topologies));
    }

    private static void dump(KubernetesClient client, Path directory, List<NodeSpec> specs) throws IOException {
        Files.createDirectories(directory);
        for (NodeSpec spec : specs) {
            Files.writeString(
                    directory.resolve("noderesourcetopology-" + spec.name() + ".json"),
                    client.raw("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/" + spec.name()));
        }
        Files.writeString(directory.resolve("pods.json"), client.raw("/api/v1/namespaces/default/pods"));
    }

    private static boolean await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return true;
    }
}
