package io.numaledger.kubectl.rehearse;

import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Optional;

/** The nodes that a rehearsal is about. */
final class ChosenNodes {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Parameters(paramLabel = "NODE", description = "the nodes, in the order in which it is done")
    private List<String> named = List.of();

    @Option(
            names = {"-l", "--selector"},
            paramLabel = "SELECTOR",
            description = "the nodes with these labels, such as pool=a,rack in (1,2)")
    private Optional<String> selector = Optional.empty();

    /** The names of the nodes, at least one. */
    List<String> in(RehearsedCluster cluster) throws UnknownNameException {
        List<NodeFacts> all =
                cluster.state().snapshots().stream().map(NodeSnapshot::node).toList();
        List<String> known = all.stream().map(NodeFacts::name).toList();
        for (String name : named) {
            if (!known.contains(name)) {
                throw UnknownNameException.node(name, known);
            }
        }
        return selector.isPresent() ? selected(all) : distinct();
    }

    private List<String> distinct() {
        if (named.isEmpty()) {
            throw new ParameterException(command.commandLine(), "name nodes, or select some with -l SELECTOR");
        }
        return named.stream().distinct().toList();
    }

    private List<String> selected(List<NodeFacts> all) {
        if (!named.isEmpty()) {
            throw new ParameterException(command.commandLine(), "give either NODE or -l SELECTOR");
        }
        try {
            LabelSelector labels = LabelSelector.parse(selector.orElseThrow());
            List<String> found = all.stream()
                    .filter(node -> labels.matches(node.constraints().labels()))
                    .map(NodeFacts::name)
                    .toList();
            if (found.isEmpty()) {
                throw new ParameterException(
                        command.commandLine(), "no node has these labels: '%s'".formatted(selector.get()));
            }
            return found;
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }
}
