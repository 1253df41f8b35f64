package io.numaledger.simulator.node;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.cli.GoDuration;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.simulator.hardware.ExampleNodes;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecException;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** {@code sim nodes}: simulated kubelets, each with an agent, join a cluster until stopped. */
@Command(
        name = "nodes",
        description =
                "Lets simulated nodes, each with an agent, join a cluster until Ctrl-C: NUMA hardware for trying a scheduler.",
        footer = "Exit status: 0 stopped; 1 the cluster cannot be used; 2 wrong flags.",
        mixinStandardHelpOptions = true)
public final class NodesCommand implements Callable<Integer> {

    private static final String NO_DEFINITION =
            "this cluster has no NodeResourceTopology: the agents cannot publish; kubectl apply -f charts/numaledger/crds, or install the chart";

    @Option(names = "--kubeconfig", required = true, paramLabel = "FILE", description = "of the cluster to join")
    private Path kubeconfig;

    @Option(
            names = "-f",
            paramLabel = "NODES.yaml",
            description = "the nodes (default: three nodes of 2 x 4 GPUs with different policies)")
    private Optional<Path> file = Optional.empty();

    @Option(
            names = "--report-delay",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description = "how much later than it happened a change shows in podresources (default: 0)")
    private Duration delay = Duration.ZERO;

    @Option(
            names = "--report-jitter",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description = "up to this much more, drawn anew for each change (default: 0)")
    private Duration jitter = Duration.ZERO;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "of the jitter (default: ${DEFAULT-VALUE})",
            defaultValue = "1")
    private long seed;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = command.commandLine().getOut();
        PrintWriter err = command.commandLine().getErr();
        if (delay.isNegative() || jitter.isNegative()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--report-delay and --report-jitter are 0 or more: %s, %s".formatted(delay, jitter));
        }
        try {
            List<NodeSpec> specs = file.isPresent() ? NodeSpecYaml.read(file.get()) : ExampleNodes.read();
            specs.stream()
                    .filter(spec -> !spec.draDrivers().isEmpty())
                    .forEach(spec -> err.printf(
                            "draDrivers are not simulated here: node=%s has no ResourceSlices; use sim up, which runs real kubelets%n",
                            spec.name()));
            Path directory = Files.createTempDirectory("numaledger-nodes");
            CountDownLatch stop = new CountDownLatch(1);
            try (SimulatedNodes nodes = SimulatedNodes.start(
                    kubeconfig, specs, directory, node -> new ReportLag(delay, jitter, seed + node.hashCode()))) {
                if (!nodes.takesTopologies()) {
                    err.printf("%s%n", NO_DEFINITION);
                }
                Runtime.getRuntime().addShutdownHook(new Thread(() -> close(nodes, stop, err), "stop"));
                out.printf("%d nodes have joined. Logs and sockets are in %s%n", specs.size(), directory);
                out.printf("  kubectl get nodes -l %s%n", NodeObject.SELECTOR);
                out.printf("Ctrl-C ends them, and takes them out of the cluster.%n");
                out.flush();
                stop.await();
            }
            return 0;
        } catch (IOException | NodeSpecException | StartupRefusedException | KubernetesClientException e) {
            err.println(e.getMessage());
            return 1;
        }
    }

    /** The agents are processes of their own; they must not outlive this one. */
    private static void close(SimulatedNodes nodes, CountDownLatch stop, PrintWriter err) {
        try {
            nodes.close();
        } catch (IOException e) {
            err.println(e.getMessage());
        } finally {
            stop.countDown();
        }
    }
}
