package io.numaledger.simulator.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.bridge.plugin.Zones.ExplainedPod;
import org.awaitility.core.ConditionTimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code demo}: the same pods on three simulated nodes, placed by node totals, and then with the bridge. */
@Command(
        name = "demo",
        description = "Three simulated nodes with an agent each, and the same pods twice: without and with the bridge.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {

    @Option(
            names = "--kube-assets",
            paramLabel = "DIR",
            description =
                    "a directory with etcd and kube-apiserver (default: KUBEBUILDER_ASSETS; else a server in memory)")
    private Optional<Path> assets = Optional.ofNullable(System.getenv("KUBEBUILDER_ASSETS"))
            .filter(path -> !path.isBlank())
            .map(Path::of);

    @Option(names = "--keep", description = "leave the second cluster running until Ctrl-C, to look at it with kubectl")
    private boolean keep;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = command.commandLine().getOut();
        Path directory = Files.createTempDirectory("numaledger-demo");
        Optional<Path> binaries = assets.filter(
                path -> Files.isExecutable(path.resolve("kube-apiserver")) && Files.isExecutable(path.resolve("etcd")));
        out.println(binaries.map(path -> "API server: a real kube-apiserver with etcd, from " + path)
                .orElse("API server: in memory (set KUBEBUILDER_ASSETS or --kube-assets to use a real one)"));
        out.flush();
        List<DemoPods.Wanted> wanted = DemoPods.read();
        try {
            String without;
            try (DemoCluster cluster = new DemoCluster(binaries, directory.resolve("without"), false)) {
                without = showWithout(cluster, wanted, out);
            }
            out.flush();
            try (DemoCluster cluster = new DemoCluster(binaries, directory.resolve("with"), true)) {
                showWith(cluster, wanted, out);
                out.printf("%nStored objects and agent logs: %s%n%n", directory);
                out.println("without:         " + without);
                out.println("with the bridge: " + DemoReport.counts(cluster.pods(wanted)));
                out.flush();
                if (keep) {
                    out.printf(
                            "%nLook around with: kubectl --kubeconfig %s get pods,noderesourcetopologies,events; end with Ctrl-C%n",
                            cluster.kubeconfig());
                    out.flush();
                    Thread.currentThread().join();
                }
            }
            return 0;
        } catch (ConditionTimeoutException e) {
            command.commandLine()
                    .getErr()
                    .printf("the demo did not get ready in time: %s; see the logs in %s%n", e.getMessage(), directory);
            return 1;
        }
    }

    private static String showWithout(DemoCluster cluster, List<DemoPods.Wanted> wanted, PrintWriter out)
            throws IOException, InterruptedException {
        cluster.run(wanted);
        cluster.dump();
        List<Pod> pods = cluster.pods(wanted);
        out.printf("%nWithout the bridge: pods in order of creation, placed by the nodes' totals.%n%n");
        out.print(DemoReport.pods(pods));
        out.print(DemoReport.refusals(pods, cluster::refusal));
        return DemoReport.counts(pods);
    }

    private static void showWith(DemoCluster cluster, List<DemoPods.Wanted> wanted, PrintWriter out)
            throws IOException, InterruptedException {
        cluster.run(wanted);
        cluster.dump();
        List<Pod> pods = cluster.pods(wanted);
        out.printf("%nWith the bridge: the same pods, on nodes where the kubelet will admit them.%n%n");
        out.print(DemoReport.pods(pods));
        out.printf("%nZones, available of allocatable (NodeResourceTopology):%n%n");
        out.print(DemoReport.zones(cluster.topologies()));
        cluster.attempts().entrySet().stream()
                .filter(each -> each.getValue().node().isPresent()
                        && !each.getValue().passedOver().isEmpty())
                .findFirst()
                .ifPresent(each -> out.print(DemoReport.passedOver(each.getKey(), each.getValue())));
        Optional<String> waiting = pods.stream()
                .filter(pod -> DemoCluster.phase(pod).equals("Pending"))
                .map(pod -> pod.getMetadata().getName())
                .findFirst();
        if (waiting.isPresent()) {
            List<JsonNode> explanations =
                    cluster.zones().explain(ExplainedPod.named("default/" + waiting.get()), List.of());
            out.print(DemoReport.waiting(waiting.get(), explanations));
        }
    }
}
