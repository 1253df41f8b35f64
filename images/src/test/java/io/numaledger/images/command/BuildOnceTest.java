package io.numaledger.images.command;

import io.numaledger.cli.ProgramVersion;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** When {@code ./numaledger} builds and what it starts, in a small project with a Maven that only writes the jar and a copy. */
class BuildOnceTest {

    private static final String PATH = System.getenv("PATH");
    private static final String MAVEN = """
            #!/bin/sh
            echo built >>builds
            mkdir -p agent/target
            sleep 0.3
            echo jar >agent/target/agent-0.1.0-SNAPSHOT.jar
            mkdir -p simulator/target/lib
            cp agent/target/agent-0.1.0-SNAPSHOT.jar simulator/target/lib
            touch -d 2026-01-01 simulator/target/lib/agent-0.1.0-SNAPSHOT.jar
            """;

    @TempDir
    private Path directory;

    private Path project;
    private Path programs;

    @BeforeEach
    void writeProject() throws IOException {
        project = directory.resolve("project");
        programs = Files.createDirectory(directory.resolve("bin"));
        Path sources = Files.createDirectories(project.resolve("agent/src/main/java"));
        Files.writeString(sources.resolve("Main.java"), "class Main {}");
        Files.writeString(project.resolve("pom.xml"), "<project/>");
        Files.writeString(project.resolve("agent/pom.xml"), "<project/>");
        Files.copy(Path.of(System.getProperty("numaledger.root"), "numaledger"), project.resolve("numaledger"));
        program("mvn", MAVEN);
        program("java", "#!/bin/sh\necho started\n");
    }

    @Test
    void oneOfSevenBuildsAndTheOthersWait() throws Exception {
        sevenAtOnce(programs + ":" + PATH);
    }

    @Test
    void oneOfSevenBuildsWithoutFlockAndTakesOverAnAbandonedLock() throws Exception {
        for (String name : List.of(
                "sh", "dirname", "find", "head", "mkdir", "rm", "cat", "sleep", "tee", "sed", "grep", "touch", "cp",
                "cmp")) {
            Path file = Stream.of(PATH.split(":", -1))
                    .map(each -> Path.of(each, name))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow();
            Files.createSymbolicLink(programs.resolve(name), file);
        }
        sevenAtOnce(programs.toString());
        // The lock of a process that has ended.
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path lock = Files.createDirectory(project.resolve("target/build.lock.d"));
        Files.writeString(lock.resolve("pid"), Long.toString(ended.pid()));
        TimeUnit.MILLISECONDS.sleep(20); // file times have steps of a few milliseconds
        Files.writeString(project.resolve("agent/src/main/java/Main.java"), "class Main { int changed; }");
        output(start(programs.toString()));
        assertThat(builds()).isEqualTo(2);
        assertThat(lock).doesNotExist();
    }

    @Test
    void mavenByHandCountsAsBuilt() throws Exception {
        assertThat(new ProcessBuilder(programs.resolve("mvn").toString())
                        .directory(project.toFile())
                        .start()
                        .waitFor())
                .isZero();

        assertThat(output(start(programs + ":" + PATH))).isEqualTo("started\n");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void buildsAgainAfterAChange() throws Exception {
        output(start(programs + ":" + PATH));
        TimeUnit.MILLISECONDS.sleep(20); // file times have steps of a few milliseconds
        Files.writeString(project.resolve("agent/src/main/java/Main.java"), "class Main { int changed; }");

        output(start(programs + ":" + PATH));

        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void startsTheProgramThatItBuilt() throws Exception {
        Path jar = jarOfThisClassPath(directory.resolve("agent.jar"));
        program("mvn", MAVEN.replace("echo jar >", "cp '%s' ".formatted(jar)));
        program("java", "#!/bin/sh%nexec '%s/bin/java' \"$@\"%n".formatted(System.getProperty("java.home")));
        String version = String.join("\n", new ProgramVersion().getVersion()) + "\n";

        assertThat(output(start(programs + ":" + PATH, "--version"))).endsWith("\n" + version);
        assertThat(output(start(programs + ":" + PATH, "--version"))).isEqualTo(version);
    }

    /** A jar without classes, which names the class path of this test in its manifest. */
    private static Path jarOfThisClassPath(Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                                .map(each -> Path.of(each).toUri().toString())
                                .collect(Collectors.joining(" ")));
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }

    private void sevenAtOnce(String path) throws IOException, InterruptedException {
        List<Process> all = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            all.add(start(path));
        }
        for (Process each : all) {
            assertThat(output(each)).endsWith("started\n");
        }
        assertThat(builds()).isEqualTo(1);
    }

    private Process start(String path, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("/bin/sh", project.resolve("numaledger").toString(), "agent"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", path);
        builder.environment().remove("JAVA_HOME");
        return builder.start();
    }

    private static String output(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private long builds() throws IOException {
        return Files.readAllLines(project.resolve("builds")).size();
    }

    private void program(String name, String text) throws IOException {
        Files.setPosixFilePermissions(
                Files.writeString(programs.resolve(name), text), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
