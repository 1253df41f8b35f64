package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** One command of {@code kubectl numa rehearse}: it reads the cluster, rehearses, and prints what was found. */
abstract class Rehearsal implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec command;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    Rehearsal(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    /** The result, as {@link io.numaledger.apiobjects.view.RehearsalJson} writes it. */
    abstract ObjectNode rehearse(RehearsedCluster now) throws IOException;

    /** @param name of an option or a parameter, for a message */
    int atLeastOne(String name, int value) {
        if (value < 1) {
            throw wrong("%s: expected 1 or more, got %d".formatted(name, value));
        }
        return value;
    }

    ParameterException wrong(String message) {
        return new ParameterException(command.commandLine(), message);
    }

    @Override
    public Integer call() throws IOException {
        ObjectNode result = rehearse(cluster.evaluated().rehearsed());
        String text =
                format.text(List.of(result), each -> RehearsalText.of(each, format.isWide(), surroundings.colours()));
        command.commandLine().getOut().println(text);
        return RehearsalText.isFine(result) ? 0 : 1;
    }
}
