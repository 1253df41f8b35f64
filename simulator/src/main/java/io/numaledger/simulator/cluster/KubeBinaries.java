package io.numaledger.simulator.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The directory of the Kubernetes binaries, which controller tests by convention find in {@code KUBEBUILDER_ASSETS}.
 * Kubelets of other versions lie beside the others as {@code kubelet-1.33}.
 */
public record KubeBinaries(Path directory) {

    /** The environment variable that names the directory. */
    public static final String VARIABLE = "KUBEBUILDER_ASSETS";

    private static final List<String> NEEDED =
            List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet");

    /**
     * All that a cluster needs is in the directory.
     *
     * @throws SimClusterException naming what is missing
     */
    public KubeBinaries {
        directory = directory.toAbsolutePath().normalize();
        Path at = directory;
        List<String> missing = NEEDED.stream()
                .filter(name -> !Files.isExecutable(at.resolve(name)))
                .toList();
        if (!missing.isEmpty()) {
            throw new SimClusterException(
                    "Kubernetes binaries are missing: directory=%s missing=%s; put them there or name another directory in %s"
                            .formatted(directory, String.join(",", missing), VARIABLE));
        }
    }

    /** What {@code KUBEBUILDER_ASSETS} names; empty when it is not set or has no kubelet. */
    public static Optional<KubeBinaries> fromEnvironment() {
        return Optional.ofNullable(System.getenv(VARIABLE))
                .filter(text -> !text.isBlank())
                .map(Path::of)
                .filter(path -> Files.isExecutable(path.resolve("kubelet")))
                .map(KubeBinaries::new);
    }

    /**
     * The binaries that {@code KUBEBUILDER_ASSETS} names.
     *
     * @throws SimClusterException if it is not set, or something is missing there
     */
    public static KubeBinaries required() {
        return fromEnvironment()
                .orElseThrow(() -> new SimClusterException(
                        "no Kubernetes binaries: %s names no directory with a kubelet; set it".formatted(VARIABLE)));
    }

    public Path of(String name) {
        return directory.resolve(name);
    }

    /** Of {@code kubelet}: {@code major.minor}. */
    public String version() {
        return minorVersion(of("kubelet"));
    }

    /**
     * The version of the oldest kubelet that lies here under another name, such as {@code kubelet-1.33}.
     *
     * @throws SimClusterException when there is none
     */
    public String otherKubelet() {
        return otherKubelets().stream()
                .findFirst()
                .orElseThrow(() -> new SimClusterException(
                        "no other kubelet: directory=%s; put one there, such as kubelet-1.33".formatted(directory)));
    }

    /** The versions of all kubelets that lie here, {@code major.minor}, the oldest first. */
    public List<String> kubelets() {
        return Stream.concat(otherKubelets().stream(), Stream.of(version()))
                .distinct()
                .sorted()
                .toList();
    }

    private List<String> otherKubelets() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("kubelet-"))
                    .map(name -> name.substring("kubelet-".length()))
                    .sorted()
                    .toList();
        } catch (IOException cause) {
            throw new SimClusterException("cannot list the Kubernetes binaries: directory=" + directory, cause);
        }
    }

    /**
     * The kubelet of a version.
     *
     * @param version {@code major.minor}
     * @throws SimClusterException when there is none of that version
     */
    Path kubelet(String version) {
        return findKubelet(version)
                .orElseThrow(() -> new SimClusterException(
                        "no kubelet of that version: directory=%s version=%s; put it there as kubelet-%s"
                                .formatted(directory, version, version)));
    }

    private Optional<Path> findKubelet(String version) {
        Path ofVersion = of("kubelet-" + version);
        if (Files.isExecutable(ofVersion)) {
            return Optional.of(ofVersion);
        }
        return version().equals(version) ? Optional.of(of("kubelet")) : Optional.empty();
    }

    private static String minorVersion(Path kubelet) {
        try {
            Process process = new ProcessBuilder(kubelet.toString(), "--version").start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.strip().replaceFirst("^Kubernetes v(\\d+\\.\\d+)\\..*", "$1");
        } catch (IOException cause) {
            throw new SimClusterException(
                    "cannot run the kubelet: file=%s; check that it is for this machine".formatted(kubelet), cause);
        }
    }
}
