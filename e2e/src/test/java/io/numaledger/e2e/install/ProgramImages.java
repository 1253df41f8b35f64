package io.numaledger.e2e.install;

import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.container.ContainerImage;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The images of both programs, and a cluster that runs them. Their root file systems are those that the tests of the images made, if they
 * hold today's jars.
 */
final class ProgramImages {

    private static final Path PROJECT = Path.of(System.getProperty("numaledger.root"));
    private static final Path RECIPE = PROJECT.resolve("images/src/main/image");
    private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

    private static final String NODES = """
            nodes:
            - name: a
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
            - name: b
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 4, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
            """;

    /** By program; making one takes a minute. */
    private static final Map<String, Path> ROOTS = new ConcurrentHashMap<>();

    private ProgramImages() {}

    /** Three CPUs of each node's first zone and four of its second are free. Skips the test where no such cluster can be made. */
    static SimCluster cluster() throws IOException, InterruptedException {
        return cluster(of(ProgramRelease.REGISTRY, ""));
    }

    /** The same with other images. */
    static SimCluster cluster(List<ContainerImage> images) {
        KubeBinaries binaries = RealKubernetes.binaries();
        assumeTrue(
                Files.isExecutable(binaries.directory().resolve("kubectl")), "skipped: no kubectl among the binaries");
        return SimCluster.builder(binaries)
                .images(images)
                .nodes(NodeSpecYaml.parse(NODES))
                .start();
    }

    /**
     * The images of this build. Skips the test where no root file system can be made.
     *
     * @param registry what comes before the names of the programs
     * @param tag what comes after them; empty: the images have all tags
     */
    static List<ContainerImage> of(String registry, String tag) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(JAVA_HOME.resolve("bin/jlink")), "skipped: this Java has no jlink");
        for (String tool : List.of("/usr/sbin/capsh", "/usr/sbin/ip")) {
            assumeTrue(Files.isExecutable(Path.of(tool)), "skipped: no " + tool + "; install libcap2-bin and iproute2");
        }
        return List.of(image("agent", registry, tag), image("bridge", registry, tag));
    }

    private static ContainerImage image(String program, String registry, String tag)
            throws IOException, InterruptedException {
        Path root = ROOTS.get(program);
        if (root == null) {
            Path tested =
                    PROJECT.resolve("images/target/roots").resolve(program).resolve("root");
            root = isOfToday(tested) ? tested : make(program);
            ROOTS.put(program, root);
        }
        return ContainerImage.unpacked(
                registry + program + tag, root, RECIPE.resolve(program).resolve("config.json"));
    }

    private static boolean isOfToday(Path root) throws IOException {
        if (!Files.isDirectory(root.resolve("app"))) {
            return false;
        }
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(root.resolve("app"))) {
            for (Path jar : jars) {
                String name = jar.getFileName().toString();
                Path built = PROJECT.resolve(name.replaceFirst("-[0-9].*", ""))
                        .resolve("target")
                        .resolve(name);
                if (!Files.exists(built) || Files.mismatch(jar, built) >= 0) {
                    return false;
                }
            }
        }
        try (Stream<Path> files = Files.list(root)) {
            return files.anyMatch(
                    file -> file.toString().endsWith(".jsa") || file.toString().endsWith(".aot"));
        }
    }

    private static Path make(String program) throws IOException, InterruptedException {
        Path place = PROJECT.resolve("e2e/target/roots").resolve(program);
        new ProcessBuilder("rm", "-rf", place.toString()).start().waitFor();
        Path log = Files.createDirectories(place).resolve("rootfs.log");
        ProcessBuilder builder = new ProcessBuilder(
                        "sh",
                        RECIPE.resolve("rootfs.sh").toString(),
                        program,
                        place.resolve("root").toString(),
                        "--without-archive")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", JAVA_HOME.toString());
        Process process = builder.start();
        if (!process.waitFor(10, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(
                    "cannot make a root file system: program=%s%n%s".formatted(program, Files.readString(log)));
        }
        return place.resolve("root");
    }
}
