package io.numaledger.images.command;

import io.numaledger.cli.ProgramVersion;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
            echo built "$@" >>builds
            mkdir -p agent/target/lib
            sleep 0.3
            cat agent/src/main/java/Main.java >agent/target/agent-0.1.0-SNAPSHOT.jar
            case "$*" in
              *simulator*)
                mkdir -p simulator/target/lib
                echo jar >simulator/target/simulator-0.1.0-SNAPSHOT.jar
                cp agent/target/agent-0.1.0-SNAPSHOT.jar simulator/target/lib
                touch -d 2026-01-01 simulator/target/lib/agent-0.1.0-SNAPSHOT.jar ;;
            esac
            """;

    @TempDir
    private Path directory;

    private Path project;
    private Path programs;

    @BeforeEach
    void writeProject() throws IOException {
        project = directory.resolve("project");
        programs = Files.createDirectory(directory.resolve("bin"));
        for (String module : List.of("agent", "simulator")) {
            Path sources = Files.createDirectories(project.resolve(module).resolve("src/main/java"));
            Files.writeString(sources.resolve("Main.java"), "class Main {}");
            Files.writeString(project.resolve(module).resolve("pom.xml"), "<project/>");
        }
        Files.writeString(project.resolve("pom.xml"), "<project/>");
        String recipe = "images/src/main/image";
        Files.createDirectories(project.resolve(recipe).resolve("agent"));
        for (String file : List.of(
                "numaledger",
                recipe + "/progress.sh",
                recipe + "/rootfs.sh",
                recipe + "/plugin.sh",
                recipe + "/agent/java.args")) {
            Files.copy(
                    Path.of(System.getProperty("numaledger.root"), file),
                    project.resolve(file),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
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
                "cmp", "date")) {
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
        change("agent");
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
        change("agent");

        output(start(programs + ":" + PATH));

        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void buildsOnlyWhatTheCommandNeeds() throws Exception {
        output(command(programs + ":" + PATH, "agent"));
        change("simulator");
        output(command(programs + ":" + PATH, "agent"));
        assertThat(builds()).as("the agent does not need the simulator").isEqualTo(1);

        output(command(programs + ":" + PATH, "sim"));
        output(command(programs + ":" + PATH, "demo"));
        assertThat(builds()).isEqualTo(2);
        change("agent");
        output(command(programs + ":" + PATH, "agent"));
        output(command(programs + ":" + PATH, "sim"));
        assertThat(builds()).as("the simulator needs the agent").isEqualTo(4);
        assertThat(Files.readAllLines(project.resolve("builds")))
                .extracting(line -> line.replaceAll(".*--projects (\\S+) --also-make package", "$1"))
                .containsExactly("agent", "simulator", "agent", "simulator");
    }

    @Test
    void aBuildThatIsInterruptedIsNotTakenForOne() throws Exception {
        Files.createDirectories(project.resolve("agent/target"));
        Files.writeString(project.resolve("agent/target/agent-0.1.0-SNAPSHOT.jar"), "jar");

        output(start(programs + ":" + PATH));

        assertThat(builds()).as("the jars that it needs are missing").isEqualTo(1);
    }

    @Test
    void saysWhatItBuildsWhileItBuilds() throws Exception {
        Path next = directory.resolve("next");
        program("mvn", MAVEN + """
                echo '[INFO] Building Numaledger agent 0.1.0-SNAPSHOT        [8/10]'
                until [ -e '%s' ]; do sleep 0.05; done
                """.formatted(next));

        Process build = start(programs + ":" + PATH);
        BufferedReader said = build.inputReader();

        assertThat(said.readLine()).matches(" +\\d+ s  building agent and what it needs: .*");
        assertThat(said.readLine()).matches(" +\\d+ s  building agent \\(8 of 10\\)");
        Files.createFile(next);
        assertThat(said.readLine()).matches(" +\\d+ s  built");
        assertThat(said.readLine()).isEqualTo("started");
        assertThat(build.waitFor()).isZero();
    }

    @Test
    void showsTheErrorsOfAFailedBuild() throws Exception {
        program("mvn", "#!/bin/sh\necho '[ERROR] Main.java: no such class'\nexit 1\n");

        Process build = start(programs + ":" + PATH);

        String said = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(build.waitFor()).isEqualTo(1);
        assertThat(said).contains("[ERROR] Main.java: no such class", "s  the build failed; log: ");
        assertThat(said).doesNotContain("started");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            foo                       | 2 | unknown command: foo; see ./numaledger --help
            dmo                       | 2 | unknown command: dmo; did you mean demo? See ./numaledger --help
            bench foo                 | 2 | unknown benchmark: foo; see ./numaledger bench --help
            bench flet                | 2 | unknown benchmark: flet; did you mean fleet? See ./numaledger bench --help
            image                     | 2 | no program: give agent or bridge; see ./numaledger image --help
            image agnt                | 2 | unknown program: agnt; give agent or bridge; see ./numaledger image --help
            image agent --outptu x    | 2 | unknown option: --outptu; see ./numaledger image --help
            image agent --output      | 2 | --output needs a value; see ./numaledger image --help
            image agent --output /n/x | 1 | cannot write the output: file=/n/x: there is no directory /n; make it, or set --output
            image agent --output /tmp | 1 | cannot write the output: file=/tmp is a directory; set --output to a file
            image agent --jdk /none   | 1 | this is no JDK: jdk=/none; set --jdk or JAVA_HOME
            rootfs agent              | 2 | no program or no directory; see ./numaledger rootfs --help
            rootfs agent /proc/x      | 1 | cannot write the root file system: dir=/proc/x; give another directory
            plugin --foo=x            | 2 | unknown option: --foo; see ./numaledger plugin --help
            plugin --output=/proc/x   | 1 | cannot write the output: dir=/proc/x; set --output to another directory
            """)
    void reportsWhatIsWrongInOneLineBeforeItBuilds(String line, int status, String said) throws Exception {
        Process process = command(programs + ":" + PATH, line.split(" "));

        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(said + "\n");
        assertThat(process.waitFor()).isEqualTo(status);
        assertThat(project.resolve("builds")).doesNotExist();
    }

    private void change(String module) throws IOException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(20); // file times have steps of a few milliseconds
        Files.writeString(project.resolve(module).resolve("src/main/java/Main.java"), "class Main { int changed; }");
    }

    @Test
    void startsTheProgramThatItBuilt() throws Exception {
        Path jar = jarOfThisClassPath(directory.resolve("agent.jar"));
        program("mvn", MAVEN.replace("cat agent/src/main/java/Main.java >", "cp '%s' ".formatted(jar)));
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
        return command(
                path, Stream.concat(Stream.of("agent"), Stream.of(arguments)).toArray(String[]::new));
    }

    private Process command(String path, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("/bin/sh", project.resolve("numaledger").toString()));
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
