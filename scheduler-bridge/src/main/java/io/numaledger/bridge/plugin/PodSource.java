package io.numaledger.bridge.plugin;

import io.numaledger.bridge.objects.Manifests;
import io.numaledger.bridge.objects.PodManifest;
import io.numaledger.bridge.plugin.Zones.ExplainedPod;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The pods in question: those of a manifest, or one of the cluster. */
final class PodSource {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Parameters(arity = "0..1", paramLabel = "[NAMESPACE/]NAME", description = "a pod of the cluster")
    private Optional<String> name = Optional.empty();

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "FILE",
            description =
                    "manifests of pods or of workloads with a pod template, YAML or JSON; - reads the standard input")
    private Optional<Path> file = Optional.empty();

    /**
     * The pods.
     *
     * @param namespace of pods that name none
     * @throws IOException naming the file, and saying what is wrong
     */
    List<ExplainedPod> pods(String namespace) throws IOException {
        if (name.isPresent() == file.isPresent()) {
            throw new ParameterException(command.commandLine(), "give either NAMESPACE/NAME or -f FILE");
        }
        if (name.isPresent()) {
            return List.of(ExplainedPod.named(qualified(name.get(), namespace)));
        }
        List<ExplainedPod> pods = new ArrayList<>();
        for (PodManifest manifest : manifests(file.orElseThrow(), namespace)) {
            pods.add(new ExplainedPod(manifest.pod().key(), Optional.of(manifest)));
        }
        return pods;
    }

    /** @param pod {@code name} or {@code namespace/name} */
    static String qualified(String pod, String namespace) {
        return pod.contains("/") ? pod : namespace + "/" + pod;
    }

    private static List<PodManifest> manifests(Path path, String namespace) throws IOException {
        boolean standardInput = path.toString().equals("-");
        String text =
                standardInput ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : Files.readString(path);
        try {
            return Manifests.read(text, namespace);
        } catch (IOException e) {
            throw new IOException("cannot use the manifest: file=%s: %s".formatted(path, e.getMessage()), e);
        }
    }
}
