package io.numaledger.bridge.cli;

import io.numaledger.bridge.objects.PodManifest;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The pods in question: those of a manifest, or one of the cluster. */
final class PodSource {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Parameters(arity = "0..1", paramLabel = "NAMESPACE/NAME", description = "a pod of the cluster")
    private Optional<String> name = Optional.empty();

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "FILE",
            description =
                    "manifests of pods or of workloads with a pod template, YAML or JSON; - reads the standard input")
    private Optional<Path> file = Optional.empty();

    /** The name of a pod of the cluster; absent: {@link #manifests} are to be read. */
    Optional<String> name() {
        if (name.isPresent() == file.isPresent()) {
            throw new ParameterException(command.commandLine(), "give either NAMESPACE/NAME or -f FILE");
        }
        return name.map(text -> text.contains("/") ? text : "default/" + text);
    }

    /** @throws IOException naming the file, and saying what is wrong */
    List<PodManifest> manifests() throws IOException {
        Path path = file.orElseThrow();
        boolean standardInput = path.toString().equals("-");
        String text =
                standardInput ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : Files.readString(path);
        try {
            return PodManifest.readAll(text);
        } catch (IOException e) {
            throw new IOException("cannot use the manifest: file=%s: %s".formatted(path, e.getMessage()), e);
        }
    }
}
