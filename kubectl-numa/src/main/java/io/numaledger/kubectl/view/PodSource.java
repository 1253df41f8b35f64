package io.numaledger.kubectl.view;

import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.kubectl.manifest.Admission;
import io.numaledger.kubectl.manifest.DescribedPod;
import io.numaledger.kubectl.manifest.Manifests;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import io.numaledger.objects.PodManifest;
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
     * Checks the arguments, and reads the file: nothing has to be contacted to refuse these.
     *
     * @return the manifest, if there is one
     * @throws IOException if the file cannot be read
     */
    Optional<String> read() throws IOException {
        if (name.isPresent() == file.isPresent()) {
            throw new ParameterException(command.commandLine(), "give either [NAMESPACE/]NAME or -f FILE");
        }
        if (file.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                file.get().toString().equals("-")
                        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                        : Files.readString(file.get()));
    }

    /** Whether a pod was named, or a manifest. */
    boolean isGiven() {
        return name.isPresent() || file.isPresent();
    }

    /**
     * The pods.
     *
     * @param text the manifest
     * @param namespace of pods that name none
     * @param admission what the cluster makes of manifests
     * @throws IOException naming the file, and saying what is wrong
     */
    List<ExplainedPod> pods(Optional<String> text, String namespace, Admission admission) throws IOException {
        if (text.isEmpty()) {
            return List.of(ExplainedPod.named(ExplainedPod.qualified(name.orElseThrow(), namespace)));
        }
        List<ExplainedPod> pods = new ArrayList<>();
        try {
            for (DescribedPod described : Manifests.read(text.get(), namespace)) {
                PodManifest manifest = admission.admit(described);
                pods.add(new ExplainedPod(manifest.pod().key(), Optional.of(manifest)));
            }
        } catch (UnknownNameException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(
                    "cannot use the manifest: file=%s: %s".formatted(file.orElseThrow(), e.getMessage()), e);
        }
        return pods;
    }
}
