package io.numaledger.images.rootfs;

import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.simulator.container.ContainerImage;
import io.numaledger.simulator.container.ImageArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The images: packed, unpacked layer by layer, and run as the charts run them. */
class ImageTest {

    private static final Path CAPSH = Path.of("/usr/sbin/capsh");

    /** A class archive that does not fit the runtime or the jars ends the process. */
    private static final String REQUIRE_ARCHIVE = Runtime.version().feature() >= 25 ? "-XX:AOTMode=on" : "-Xshare:on";

    /** EM_AARCH64. */
    private static final int AARCH64 = 183;

    @TempDir
    private Path directory;

    @BeforeEach
    void needsPackagedPrograms() throws IOException {
        Optional<String> missing = BuiltRoot.missing();
        assumeTrue(missing.isEmpty(), () -> "skipped: " + missing.orElse(""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "bridge"})
    void twoBuildsDifferInTheClassArchiveOnly(String program) throws Exception {
        UnpackedImage first = image(program, BuiltRoot.of(program), "first");
        UnpackedImage second =
                image(program, BuiltRoot.make(program, place("again"), List.of("--without-archive")), "second");

        assertThat(first.layers()).hasSize(4);
        assertThat(second.layers()).isEqualTo(first.layers().subList(0, 3));
        assertThat(second.image().get("config")).isEqualTo(first.image().get("config"));
    }

    @Test
    void theDigestsAndTheBillOfMaterialsLieBesideTheImage() throws Exception {
        UnpackedImage bridge = image("bridge", BuiltRoot.of("bridge"), "bridge");

        assertThat(Files.readAllLines(directory.resolve("bridge.digests.txt")))
                .hasSize(5)
                .endsWith(bridge.layers().get(3) + "  layer: class archive");
        assertThat(directory.resolve("bridge.cdx.json"))
                .hasSameBinaryContentAs(bridge.root().resolve("sbom.cdx.json"));
    }

    @Test
    void theAgentsImageRuns() throws Exception {
        requireRoot();
        UnpackedImage agent = image("agent", BuiltRoot.of("agent"), "agent");

        assertThat(agent.layers()).hasSize(4);
        assertThat(agent.image().at("/config/User").asText()).isEqualTo("0:0");
        assertThat(agent.image()
                        .at("/config/Labels/org.opencontainers.image.revision")
                        .asText())
                .isEqualTo(new ProgramVersion().commit());
        assertThat(output(agent, "--version")).contains(new ProgramVersion().getVersion()[0]);
    }

    /** The image has no driver: the sentence is from the process that looks for the library, by JNA. */
    @Test
    void theAgentStartsTheProcessThatCallsNvml() throws Exception {
        requireRoot();
        UnpackedImage agent = image("agent", BuiltRoot.of("agent"), "agent");
        Path devices = place("devices");
        Files.createFile(devices.resolve("nvidiactl"));

        Process process = agent.contained()
                .mount(devices, ContainedProgram.SYS)
                .process(
                        agent.entrypoint(),
                        List.of(
                                "probe",
                                "--gpus",
                                "--sysfs-root=" + ContainedProgram.SYS,
                                "--dev-root=" + ContainedProgram.SYS))
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("cannot load NVIDIA's management library: library=libnvidia-ml.so.1 was not found");
    }

    /** Java looks in all jars for a provider that its runtime lacks, and stops reading the list at a missing number. */
    @ParameterizedTest
    @ValueSource(strings = {"agent", "bridge"})
    void theRuntimeListsOnlySecurityProvidersThatItHas(String program) throws Exception {
        Path settings = BuiltRoot.of(program).resolve("jre/conf/security/java.security");

        assertThat(Files.readAllLines(settings).stream().filter(line -> line.startsWith("security.provider.")))
                .containsExactly(
                        "security.provider.1=SUN",
                        "security.provider.2=SunRsaSign",
                        "security.provider.3=SunEC",
                        "security.provider.4=SunJSSE",
                        "security.provider.5=SunJCE");
    }

    @Test
    void theSimulatorLoadsAnImage() throws Exception {
        Path packed = UnpackedImage.pack("bridge", BuiltRoot.of("bridge"), directory.resolve("packed.tar"));

        ContainerImage loaded = new ImageArchive(packed).unpack(place("loaded"));

        assertThat(loaded.names())
                .contains("numaledger/bridge:" + new ProgramVersion().version())
                .anyMatch(name -> name.startsWith("numaledger/bridge@sha256:"));
        assertThat(loaded.user()).isEqualTo("65532:65532");
        assertThat(loaded.root().resolve(loaded.entrypoint().get(0).substring(1)))
                .isExecutable();
    }

    @Test
    void theBridgesImageRuns() throws Exception {
        requireRoot();
        UnpackedImage bridge = image("bridge", BuiltRoot.of("bridge"), "bridge");

        assertThat(bridge.image().at("/config/User").asText()).isEqualTo("65532:65532");
        assertThat(output(bridge, "--version")).contains(new ProgramVersion().getVersion()[0]);
        int port = FreePort.next();
        try (EmbeddedApiServer server = EmbeddedApiServer.start()) {
            Path account = place("account");
            Files.setPosixFilePermissions(account, PosixFilePermissions.fromString("rwxr-xr-x"));
            server.writeKubeconfig(account.resolve("kubeconfig"));
            Process process = bridge.contained()
                    .mount(account, ContainedProgram.ACCOUNT)
                    .environment("KUBECONFIG", ContainedProgram.ACCOUNT + "/kubeconfig")
                    .environment("JAVA_TOOL_OPTIONS", REQUIRE_ARCHIVE)
                    .process(bridge.entrypoint(), List.of("run", "--insecure-http", "--listen=127.0.0.1:" + port))
                    .redirectOutput(directory.resolve("bridge.log").toFile())
                    .start();
            try {
                await().atMost(Duration.ofMinutes(3)).until(() -> !process.isAlive() || healthz(port) == 200);
                assertThat(process.isAlive())
                        .as(Files.readString(directory.resolve("bridge.log")))
                        .isTrue();
                assertThat(Files.readAllLines(Path.of("/proc/%d/status".formatted(process.pid()))))
                        .contains("Uid:\t65532\t65532\t65532\t65532", "CapEff:\t0000000000000000");
            } finally {
                process.destroy();
                assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue()).isZero();
            }
        }
    }

    /** As {@code kubectl exec POD -- agent doctor} does: there is no shell, and the name is looked up on the path of the image. */
    @ParameterizedTest
    @ValueSource(strings = {"agent", "bridge"})
    void theProgramIsOnThePath(String program) throws Exception {
        requireRoot();
        UnpackedImage image = image(program, BuiltRoot.of(program), program);

        assertThat(image.entrypoint()).isEqualTo("/bin/" + program);
        assertThat(image.image().at("/config/Env").toString()).contains(":/bin\"");
        assertThat(output(image, "--help")).contains("Usage: " + program);
    }

    @Test
    void anImageForAnotherArchitectureHasNoClassArchive() throws Exception {
        String given = System.getenv("NUMALEDGER_ARM64_SYSROOT");
        assumeTrue(
                given != null,
                "skipped: NUMALEDGER_ARM64_SYSROOT names no directory that images/src/main/image/debian-sysroot.sh made");
        Path sysroot = Path.of(given);
        Path jdk = sysroot.resolve("usr/lib/jvm/java-17-openjdk-arm64");
        assumeTrue(Runtime.version().feature() == 17, "skipped: the JDK for arm64 is 17, and jlink must be as well");
        Path root = BuiltRoot.make(
                "agent", place("arm64"), List.of("--arch=arm64", "--jdk=" + jdk, "--sysroot=" + sysroot));

        UnpackedImage agent = image("agent", root, "agent");

        assertThat(agent.layers()).hasSize(3);
        assertThat(agent.image().get("architecture").asText()).isEqualTo("arm64");
        assertThat(Files.readAllLines(agent.root().resolve("agent.args")))
                .noneMatch(flag -> flag.startsWith("-XX:SharedArchiveFile"));
        assertThat(machines(agent.root())).isEqualTo(Set.of(AARCH64));
    }

    @Test
    void refusesAJdkOfAnotherArchitecture() throws IOException {
        Path place = place("other");
        Path jdk = Files.createDirectory(place.resolve("jdk"));
        Files.writeString(jdk.resolve("release"), "OS_ARCH=\"riscv64\"\n");

        assertThatThrownBy(() -> BuiltRoot.make("agent", place, List.of("--arch=arm64", "--jdk=" + jdk)))
                .hasMessageContaining("the JDK is for another architecture: jdk=%s is=riscv64 wanted=aarch64", jdk);
    }

    /** The e_machine of all ELF files: two bytes at 18, the low one first. */
    private static Set<Integer> machines(Path root) throws IOException {
        Set<Integer> machines = new HashSet<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                try (InputStream in = Files.newInputStream(file)) {
                    byte[] header = in.readNBytes(20);
                    if (header.length == 20 && new String(header, 1, 3, StandardCharsets.US_ASCII).equals("ELF")) {
                        machines.add((int) header[18] & 0xff);
                    }
                }
            }
        }
        return machines;
    }

    private static void requireRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: running an image needs root");
        assumeTrue(Files.isExecutable(CAPSH), "skipped: running an image needs capsh; install libcap2-bin");
    }

    private UnpackedImage image(String program, Path root, String name) throws IOException, InterruptedException {
        return UnpackedImage.of(
                UnpackedImage.pack(program, root, directory.resolve(name + ".tar")), place("image-" + name));
    }

    private Path place(String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    private static String output(UnpackedImage image, String... arguments) throws IOException, InterruptedException {
        Process process = image.contained()
                .environment("JAVA_TOOL_OPTIONS", REQUIRE_ARCHIVE)
                .process(image.entrypoint(), List.of(arguments))
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static int healthz(int port) throws InterruptedException {
        try {
            URI uri = URI.create("http://127.0.0.1:%d/healthz".formatted(port));
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException notListening) {
            return 0;
        }
    }
}
