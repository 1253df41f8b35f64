package io.numaledger.agent.config;

import io.numaledger.agent.exclude.ExclusionSource;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.exclude.ExclusionsFile;
import io.numaledger.agent.exclude.PodPattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is not published: flags, and a file that is reloaded when it changes. */
public final class ExclusionOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "what is not published, by node: resourceExclude, podExclude, deviceRename; reloaded "
                    + "when it changes")
    private Optional<Path> file = Optional.empty();

    @Option(
            names = "--exclude-resource",
            paramLabel = "NAME",
            split = ",",
            description = "a resource that is not published, such as hugepages-2Mi; may be repeated")
    private List<String> resources = List.of();

    @Option(
            names = "--exclude-pod",
            paramLabel = "NAMESPACE/NAME",
            split = ",",
            description =
                    "pods that are neither annotated nor charged, by shell patterns such as kube-system/*; may be "
                            + "repeated")
    private List<String> pods = List.of();

    @Option(
            names = "--rename-device",
            paramLabel = "FROM=TO",
            split = ",",
            description = "publish a device's resource under another name; may be repeated")
    private List<String> renames = List.of();

    /**
     * What flags and file say of this node.
     *
     * @throws ParameterException if one of them is invalid; the message names it and the reason
     */
    public ExclusionSource of(String node) {
        try {
            Exclusions flags = new Exclusions(
                    new TreeSet<>(resources),
                    pods.stream().map(PodPattern::parse).toList(),
                    renamed());
            return file.isPresent() ? new ExclusionsFile(file.get(), node, flags) : ExclusionSource.fixed(flags);
        } catch (IOException | IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    private SortedMap<String, String> renamed() {
        TreeMap<String, String> renamed = new TreeMap<>();
        for (String rename : renames) {
            int equals = rename.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException(
                        "--rename-device is '%s'; expected FROM=TO such as example.com/gpu.shared=example.com/gpu"
                                .formatted(rename));
            }
            renamed.put(rename.substring(0, equals), rename.substring(equals + 1));
        }
        return renamed;
    }
}
