package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.plugin.EvaluatedZones;
import io.numaledger.bridge.snapshot.SnapshotSettings;
import io.numaledger.bridge.view.NodeText;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.cli.Colours;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code bridge helm-test}: the container of the chart's test, which has no kubectl. */
@Command(
        name = "helm-test",
        hidden = true,
        description = "Prints the zones that the account can read, and fails if it cannot read them.",
        mixinStandardHelpOptions = true)
final class HelmTestCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig of the cluster (default: the service account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Override
    public Integer call() throws IOException {
        ClusterReader.requireApiServer(kubeconfig);
        try (KubernetesClient client = ClusterReader.client(kubeconfig)) {
            EvaluatedZones zones = new EvaluatedZones(ClusterReader.read(client), SnapshotSettings.DEFAULT);
            for (JsonNode node : zones.nodes()) {
                command.commandLine().getOut().println(NodeText.of(node, false, Colours.NONE));
            }
            return 0;
        }
    }
}
