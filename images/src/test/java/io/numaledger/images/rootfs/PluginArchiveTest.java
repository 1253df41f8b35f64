package io.numaledger.images.rootfs;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The archives of {@code kubectl numa}: built, unpacked, and run without a JDK and without a cluster. */
class PluginArchiveTest {

    private static final Path SCRIPT =
            Path.of(System.getProperty("numaledger.root"), "images/src/main/image/plugin.sh");
    private static final String ARCHIVE = "kubectl-numa-linux-%s.tar.gz"
            .formatted(System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64");
    private static final String DUMP = """
            apiVersion: v1
            kind: Node
            metadata: {name: n}
            status: {allocatable: {cpu: "8", memory: 16Gi}}
            ---
            apiVersion: topology.node.k8s.io/v1alpha2
            kind: NodeResourceTopology
            metadata: {name: n}
            attributes:
            - {name: topologyManagerPolicy, value: single-numa-node}
            - {name: topologyManagerScope, value: container}
            - {name: cpuManagerPolicy, value: static}
            zones:
            - {name: node-0, type: Node, resources: [{name: cpu, capacity: "4", allocatable: "4", available: "4"}]}
            - {name: node-1, type: Node, resources: [{name: cpu, capacity: "4", allocatable: "4", available: "4"}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: six, namespace: default}
            spec: {containers: [{name: c, image: i, resources: {limits: {cpu: "6", memory: 1Gi}}}]}
            """;
    private static final String MANIFEST = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: two}
            spec:
              selector: {matchLabels: {app: two}}
              template:
                metadata: {labels: {app: two}}
                spec: {containers: [{name: c, image: i, resources: {limits: {cpu: "2", memory: 1Gi}}}]}
            """;

    @TempDir
    private Path directory;

    @BeforeEach
    void needsPackagedPrograms() throws IOException {
        Optional<String> missing = BuiltRoot.missing();
        assumeTrue(missing.isEmpty(), () -> "skipped: " + missing.orElse(""));
    }

    @Test
    void runsWithoutAJdk() throws Exception {
        run(
                0,
                "sh",
                SCRIPT.toString(),
                "--output=" + directory,
                "--jdk=" + System.getProperty("java.home"),
                "--url=https://example.com/dl");
        String archive = directory.resolve(ARCHIVE).toString();
        Path plugin = Files.createDirectory(directory.resolve("plugin"));
        run(0, "tar", "-xzf", archive, "-C", plugin.toString());
        String dump = "--dump=" + Files.writeString(directory.resolve("dump.yaml"), DUMP);
        Path link = Files.createSymbolicLink(directory.resolve("kubectl-numa"), plugin.resolve("kubectl-numa"));

        assertThat(run(0, "tar", "--numeric-owner", "--utc", "--full-time", "-tvzf", archive)
                        .lines())
                .as("nothing depends on the build, and krew unpacks files and directories only")
                .allMatch(entry -> entry.matches("[-d]rw[-x]r-[-x]r-[-x] 0/0 +\\d+ 2026-01-01 00:00:00 .*"));
        assertThat(Files.readString(directory.resolve("numa.yaml")))
                .contains("uri: https://example.com/dl/" + ARCHIVE, "bin: kubectl-numa\n")
                .contains("sha256: " + run(0, "sha256sum", archive).substring(0, 64));
        assertThat(run(0, link.toString(), "nodes", dump)).contains("n     Unknown  single-numa-node  4,4");
        assertThat(run(1, link.toString(), "explain", "six", dump)).contains("no   TopologyAffinityError");
        String manifest =
                Files.writeString(directory.resolve("two.yaml"), MANIFEST).toString();
        assertThat(run(0, link.toString(), "explain", "-f", manifest, dump)).contains("fits node-0: 2 cpu");
        assertThat(run(0, link.toString(), "doctor", dump)).contains("warn  agent");
        assertThat(run(0, plugin.resolve("kubectl_complete-numa").toString(), "to"))
                .endsWith("top\tShows how much of each zone pods hold.\n:4\n");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            assertThat(run(2, link.toString(), "ui", dump, "--port=" + taken.getLocalPort()))
                    .as("its runtime has a server")
                    .startsWith("cannot listen: port=%d is in use".formatted(taken.getLocalPort()));
        }
    }

    @Test
    void runsWithTheJavaOfTheMachine() throws Exception {
        Path plugin = portable();
        Path dump = Files.writeString(
                Files.createDirectory(directory.resolve("a b")).resolve("dump.yaml"), DUMP);
        Path link = Files.createSymbolicLink(directory.resolve("kubectl-numa"), Path.of("plugin/kubectl-numa"));
        String[] command = {link.toString(), "explain", "six", "--dump=" + dump};
        String home = System.getProperty("java.home");

        assertThat(run(Map.of("JAVA_HOME", home), 1, command)).contains("no   TopologyAffinityError");
        assertThat(run(Map.of("PATH", home + "/bin:/usr/bin:/bin"), 1, command)).contains("no   TopologyAffinityError");
        assertThat(run(
                        Map.of("JAVA_HOME", home),
                        0,
                        plugin.resolve("kubectl_complete-numa").toString(),
                        "to"))
                .endsWith("top\tShows how much of each zone pods hold.\n:4\n");
        try (Stream<Path> files = Files.walk(plugin)) {
            assertThat(files.map(file -> String.valueOf(file.getFileName())))
                    .contains("kubectl-numa.cmd", "kubectl_complete-numa.cmd")
                    .noneMatch(name -> name.startsWith("netty") || name.equals("jre"));
        }
    }

    @Test
    void saysWhichJavaItNeeds() throws Exception {
        String plugin = portable().resolve("kubectl-numa").toString();
        Path old = Files.createDirectories(directory.resolve("old/bin")).resolve("java");
        Files.writeString(old, "#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n");
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThat(run(Map.of("JAVA_HOME", directory.resolve("old").toString()), 2, plugin, "nodes"))
                .isEqualTo(
                        "kubectl numa needs Java 17 or later, and it is older: java=%s; install one, or set JAVA_HOME to it\n",
                        old);
        assertThat(run(Map.of("JAVA_HOME", "/nowhere"), 2, plugin, "nodes"))
                .isEqualTo(
                        "kubectl numa needs Java 17 or later, and there is none: java=/nowhere/bin/java; install one, or set JAVA_HOME to it\n");
    }

    /** The archive for systems that have Java, unpacked. */
    private Path portable() throws IOException, InterruptedException {
        run(
                0,
                "sh",
                SCRIPT.toString(),
                "--output=" + directory,
                "--jdk=" + System.getProperty("java.home"),
                "--url=https://example.com/dl");
        String archive = directory.resolve("kubectl-numa-java.tar.gz").toString();
        assertThat(Files.readString(directory.resolve("numa.yaml")))
                .contains("""
                  - selector:
                      matchLabels:
                        os: darwin
                        arch: arm64
                    uri: https://example.com/dl/kubectl-numa-java.tar.gz
                    sha256: %s
                    bin: kubectl-numa
                """.formatted(run(0, "sha256sum", archive).substring(0, 64))
                        .indent(0));
        Path plugin = Files.createDirectory(directory.resolve("plugin"));
        run(0, "tar", "-xzf", archive, "-C", plugin.toString());
        return plugin;
    }

    /** In an environment without Java. */
    private static String run(int status, String... command) throws IOException, InterruptedException {
        return run(Map.of(), status, command);
    }

    private static String run(Map<String, String> environment, int status, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(List.of(command)).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(status);
        return output;
    }
}
