package io.numaledger.simulator.container;

import io.numaledger.simulator.cri.v1.ContainerConfig;
import io.numaledger.simulator.cri.v1.Int64Value;
import io.numaledger.simulator.cri.v1.KeyValue;
import io.numaledger.simulator.cri.v1.LinuxContainerSecurityContext;
import io.numaledger.simulator.cri.v1.Mount;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Containers of an image whose programs and libraries are those of this machine, mounted read-only. */
class ContainerScriptTest {

    private static final String HOSTS = "10.201.0.7 web.default.svc\n";

    @TempDir
    private Path directory;

    private Path root;

    @BeforeEach
    void makeImage() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: mounts need root");
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/capsh")), "skipped: no capsh; install libcap2-bin");
        root = Files.createDirectories(directory.resolve("image"));
        Files.writeString(Files.createDirectories(root.resolve("etc")).resolve("hosts"), "127.0.0.1 localhost\n");
        Path program = Files.createDirectories(root.resolve("usr/local/bin")).resolve("greet");
        Files.writeString(program, "#!/bin/sh\nprintf '<%s>' \"$0\" \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private ContainerImage image(String user, String... entrypoint) {
        return new ContainerImage(
                List.of("test"), root, List.of(entrypoint), List.of("FROM=image", "BOTH=image"), user);
    }

    /** Runs {@code script} in the container's shell. */
    private static ContainerConfig.Builder shell(String script) {
        return container().addCommand("/bin/sh").addCommand("-c").addCommand(script);
    }

    private static ContainerConfig.Builder container() {
        ContainerConfig.Builder config = ContainerConfig.newBuilder();
        Stream.of("/bin", "/lib", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib64")
                .filter(folder -> Files.isDirectory(Path.of(folder)))
                .forEach(folder -> config.addMounts(mount(folder, folder, true)));
        return config;
    }

    private static Mount mount(Object from, String to, boolean readOnly) {
        return Mount.newBuilder()
                .setHostPath(from.toString())
                .setContainerPath(to)
                .setReadonly(readOnly)
                .build();
    }

    /** What the container wrote, and its exit code if that is not 0. */
    private String run(ContainerImage image, ContainerConfig.Builder config) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "unshare",
                        "--mount",
                        "/bin/sh",
                        "-c",
                        ContainerScript.text(image, config.build(), HOSTS),
                        "container",
                        Files.createDirectories(directory.resolve("mounts")).toString(),
                        image.root().toString())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        return code == 0 ? output : output + "exit " + code;
    }

    @Test
    void startsTheImagesEntrypointWithArgumentsAsTheyAre() throws Exception {
        ContainerConfig.Builder config =
                container().addArgs("a b").addArgs("it's $HOME").addArgs("");

        assertThat(run(image("0:0", "/usr/local/bin/greet"), config))
                .isEqualTo("</usr/local/bin/greet><a b><it's $HOME><>");
    }

    @Test
    void findsACommandWithoutAFolderOnThePath() throws Exception {
        assertThat(run(image("0:0", "/none"), container().addCommand("greet").addArgs("a")))
                .isEqualTo("</usr/local/bin/greet><a>");
    }

    @Test
    void endsWithTheCodeOfTheProgram() throws Exception {
        assertThat(run(image("0:0"), shell("echo out; echo err >&2; exit 7"))).isEqualTo("out\nerr\nexit 7");
    }

    @Test
    void hasTheVariablesOfTheImageAndThePodAndNoOthers() throws Exception {
        ContainerConfig.Builder config = shell("/usr/bin/env")
                .addEnvs(KeyValue.newBuilder().setKey("BOTH").setValue("pod"))
                .addEnvs(KeyValue.newBuilder().setKey("LINES").setValue("it's\n$HOME"));

        assertThat(run(image("0:0"), config).lines().filter(line -> !line.matches("(PWD|SHLVL|_)=.*")))
                .containsExactlyInAnyOrder(
                        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                        "FROM=image",
                        "BOTH=pod",
                        "LINES=it's",
                        "$HOME");
    }

    @ParameterizedTest(name = "image {0}, asked for {1}:{2} with {3}")
    @CsvSource(nullValues = "-", textBlock = """
            65532:100, -,    -,   '',       65532 100 100
            65532:100, 7,    -,   '',       7 0 0
            65532:100, 7,    8,   '',       7 8 8
            65532:100, -,    8,   '',       65532 8 8
            0:0,       1000, 100, '200 300', 1000 100 100 200 300
            """)
    void runsAsTheUserAndTheGroupsOfThePodOrElseOfTheImage(
            String ofImage, Long user, Long group, String groups, String expected) throws Exception {
        LinuxContainerSecurityContext.Builder security = LinuxContainerSecurityContext.newBuilder();
        if (user != null) {
            security.setRunAsUser(Int64Value.newBuilder().setValue(user));
        }
        if (group != null) {
            security.setRunAsGroup(Int64Value.newBuilder().setValue(group));
        }
        Stream.of(groups.split(" "))
                .filter(each -> !each.isEmpty())
                .map(Long::valueOf)
                .forEach(security::addSupplementalGroups);
        ContainerConfig.Builder config = shell("echo $(id -u) $(id -g) $(id -G)");
        config.getLinuxBuilder().setSecurityContext(security);

        assertThat(run(image(ofImage), config)).isEqualTo(expected + "\n");
    }

    @Test
    void hasNoCapabilitiesAndGetsNone() throws Exception {
        assertThat(run(image("0:0"), shell("grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs):' /proc/self/status"))
                        .lines())
                .hasSize(6)
                .allMatch(line -> line.matches("Cap...:\t0+|NoNewPrivs:\t1"));
    }

    @Test
    void seesTheMountsInTheirOrderAndWritesOnlyWhereItMay() throws Exception {
        Path outer = Files.createDirectories(directory.resolve("outer"));
        Path inner = Files.createDirectories(directory.resolve("inner"));
        Path file = Files.writeString(directory.resolve("file"), "one line\n");
        Files.createDirectory(outer.resolve("inner"));
        ContainerConfig.Builder config = shell("""
                        cat /etc/file
                        echo new > /etc/file
                        echo new > /outer/new
                        echo new > /outer/inner/new
                        """)
                .addMounts(mount(inner, "/outer/inner", false))
                .addMounts(mount(file, "/etc/file", true))
                .addMounts(mount(outer, "/outer", true));

        assertThat(run(image("0:0"), config))
                .contains("one line\n", "/etc/file: Read-only file system", "/outer/new: Read-only file system")
                .doesNotContain("/outer/inner/new:");
        assertThat(inner.resolve("new")).hasContent("new");
        assertThat(outer).isDirectoryNotContaining("glob:**/new");
        assertThat(file).hasContent("one line");
    }

    @Test
    void writesToItsRootInMemoryOnlyOrNotAtAll() throws Exception {
        String script = "echo new > /etc/new && cat /etc/new";
        ContainerConfig.Builder readOnly = shell(script);
        readOnly.getLinuxBuilder().getSecurityContextBuilder().setReadonlyRootfs(true);

        assertThat(run(image("0:0"), shell(script))).isEqualTo("new\n");
        assertThat(root.resolve("etc/new")).doesNotExist();
        assertThat(run(image("0:0"), readOnly)).contains("Read-only file system");
    }

    @Test
    void knowsTheNamesOfServices() throws Exception {
        assertThat(run(image("0:0"), shell("cat /etc/hosts"))).isEqualTo("127.0.0.1 localhost\n" + HOSTS);
    }

    @Test
    void hasTheDevicesOfEveryContainer() throws Exception {
        assertThat(run(image("0:0"), shell("echo gone > /dev/null; head -c 3 /dev/zero | wc -c; echo /dev/*")))
                .isEqualTo("3\n/dev/full /dev/null /dev/random /dev/urandom /dev/zero\n");
    }

    @Test
    void leavesNothingMounted() throws Exception {
        run(image("0:0"), shell("true"));

        assertThat(directory.resolve("mounts")).isEmptyDirectory();
        assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(directory.toString());
    }
}
