package io.numaledger.images.rootfs;

import io.numaledger.simulator.node.AgentProcess;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ImageFlagsTest {

    private static final Path IMAGES =
            Path.of(System.getProperty("numaledger.root")).resolve("images/src/main/image");

    @Test
    void hasTheFlagsOfTheImagesButForTheirFiles() throws IOException {
        assertThat(ImageFlags.agent())
                .isNotEmpty()
                .isSubsetOf(Files.readAllLines(IMAGES.resolve("agent/java.args")))
                .contains("-XX:TieredStopAtLevel=1", "-Dio.netty.noPreferDirect=true")
                .noneMatch(flag -> flag.contains("/"));
        assertThat(ImageFlags.bridge())
                .isSubsetOf(Files.readAllLines(IMAGES.resolve("bridge/java.args")))
                .contains("-XX:NewRatio=4", "-XX:MaxRAMPercentage=65")
                .noneMatch(flag -> flag.contains("/"));
    }

    @Test
    void simulatedNodesRunTheAgentWithFlagsOfItsImage() throws IOException {
        assertThat(ImageFlags.agent()).containsAll(AgentProcess.JAVA_FLAGS);
    }

    /** {@code ./numaledger agent} and {@code bridge} run on a machine with more memory than a container. */
    @Test
    void theScriptReadsTheSameFiles() throws IOException, InterruptedException {
        String script = Files.readString(IMAGES.resolve("../../../../numaledger"));
        String function = script.substring(script.indexOf("image_flags() {"));
        Process shell = new ProcessBuilder(
                        "sh",
                        "-c",
                        "recipe=%s\n%s\nimage_flags agent"
                                .formatted(IMAGES, function.substring(0, function.indexOf("\n}") + 2)))
                .redirectErrorStream(true)
                .start();
        List<String> flags = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();

        assertThat(shell.waitFor()).isZero();
        assertThat(flags).containsExactlyElementsOf(ImageFlags.agent());
    }
}
