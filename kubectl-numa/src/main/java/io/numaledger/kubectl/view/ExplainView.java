package io.numaledger.kubectl.view;

import io.numaledger.cli.Colours;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.output.Result;
import io.numaledger.kubectl.output.Watch;
import io.numaledger.kubectl.view.Explanations.Explained;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code kubectl numa explain}: whether a pod fits each node, and why. */
@Command(
        name = "explain",
        description =
                "Shows which nodes fit a pod as far as NUMA alignment decides, where it would be placed, and why others refuse it.",
        footer =
                "Exit status: 0 each pod fits a node; 1 a pod fits none; 2 invalid input, or the cluster gives no answer.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class ExplainView implements Callable<Integer> {

    private final Surroundings surroundings;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Explanations explanations = new Explanations();

    @Mixin
    private final Watch watch = new Watch();

    public ExplainView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        Optional<String> text = explanations.read();
        String namespace = cluster.namespace();
        Colours colours = surroundings.colours();
        Optional<String> group = explanations.group(namespace);
        if (group.isPresent()) {
            return watch.run(
                    () -> {
                        Explained explained = explanations.explainGroup(cluster.evaluated(), group.get());
                        return new Result(explained.text(), explained.status());
                    },
                    colours);
        }
        List<ExplainedPod> pods = explanations.pods(text, namespace, cluster.admission());
        return watch.run(
                () -> {
                    Explained explained = explanations.explain(cluster.zones(), pods, List.of(), colours);
                    return new Result(explained.text(), explained.status());
                },
                colours);
    }
}
