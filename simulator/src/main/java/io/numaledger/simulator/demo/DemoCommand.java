package io.numaledger.simulator.demo;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code demo}: the same pods on three simulated nodes, placed by node-level requests, and then with the bridge. */
@Command(
        name = "demo",
        description = "Runs the same pods on three simulated nodes with an agent each, without and with the bridge.",
        hidden = true,
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

    @Option(names = "--keep", description = "leave the cluster running until Ctrl-C, to look at it with kubectl")
    private boolean keep;

    private final Instant started = Instant.now();

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
        step("starting an API server, and three nodes with an agent each");
        try (DemoCluster cluster = new DemoCluster(binaries, directory)) {
            show(cluster, DemoPods.read(), directory);
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
    }

    private void show(DemoCluster cluster, List<DemoPods.Wanted> wanted, Path directory)
            throws IOException, InterruptedException {
        step("running %d pods without the bridge, each on the node with the most free CPU".formatted(wanted.size()));
        List<Pod> without = cluster.run(wanted, Optional.empty());
        cluster.dump("without");
        String refusals = DemoReport.refusals(without, cluster::refusal);
        step("running the same pods with the bridge, on nodes where the kubelet will admit them");
        cluster.clear();
        List<Pod> bridged = cluster.run(wanted, Optional.of(cluster.startBridge()));
        cluster.dump("with");
        PrintWriter out = command.commandLine().getOut();
        out.println();
        out.print(DemoReport.pods(without, bridged));
        out.print(refusals);
        Optional<String> waiting = bridged.stream()
                .filter(pod -> DemoCluster.phase(pod).equals("Pending"))
                .map(pod -> pod.getMetadata().getName())
                .findFirst();
        if (waiting.isPresent()) {
            out.print(DemoReport.waiting(
                    waiting.get(), cluster.zones().explain(ExplainedPod.named("default/" + waiting.get()), List.of())));
        }
        out.printf("%nStored objects and agent logs: %s%n", directory);
        out.printf("%nwithout:         %s%n", DemoReport.counts(without));
        out.printf("with the bridge: %s%n", DemoReport.counts(bridged));
    }

    private void step(String name) {
        command.commandLine().getOut().flush();
        command.commandLine()
                .getErr()
                .printf("%5d s  %s%n", Duration.between(started, Instant.now()).toSeconds(), name);
        command.commandLine().getErr().flush();
    }
}
