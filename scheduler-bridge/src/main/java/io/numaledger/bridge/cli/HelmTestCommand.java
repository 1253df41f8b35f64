package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.apiobjects.view.NodeText;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.cli.Colours;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.StaticCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
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
            ClusterState cluster =
                    StaticCluster.of(ClusterReader.read(client), SnapshotSettings.DEFAULT, InstantSource.system());
            for (NodeSnapshot node : cluster.snapshots()) {
                JsonNode json = NodeJson.of(node, cluster, PodNames.ALL);
                command.commandLine().getOut().println(NodeText.of(json, false, Colours.NONE));
            }
            return 0;
        }
    }
}
