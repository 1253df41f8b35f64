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
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code kubectl numa whatif}: the same after other pods have ended. */
@Command(
        name = "whatif",
        description = "Shows which nodes would fit a pod after other pods have ended.",
        footer =
                "Exit status: 0 each pod fits a node; 1 a pod fits none; 2 invalid input, or the cluster gives no answer.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class WhatifView implements Callable<Integer> {

    private final Surroundings surroundings;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Explanations explanations = new Explanations();

    @Mixin
    private final Watch watch = new Watch();

    @Option(
            names = "--evict",
            split = ",",
            required = true,
            paramLabel = "[NAMESPACE/]NAME",
            description = "the pods that have ended")
    private List<String> ended = List.of();

    public WhatifView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        Optional<String> text = explanations.read();
        String namespace = cluster.namespace();
        List<ExplainedPod> pods = explanations.pods(text, namespace, cluster.admission());
        List<String> gone = ended.stream()
                .map(pod -> ExplainedPod.qualified(pod, namespace))
                .toList();
        Colours colours = surroundings.colours();
        return watch.run(
                () -> {
                    Explained explained = explanations.explain(cluster.zones(), pods, gone, colours);
                    return new Result(explained.text(), explained.status());
                },
                colours);
    }
}
