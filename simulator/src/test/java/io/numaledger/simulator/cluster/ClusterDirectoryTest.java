package io.numaledger.simulator.cluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ClusterDirectoryTest {

    private static final long NOBODY = 1L << 22;

    @TempDir
    private Path parent;

    @Test
    void belongsToTheProcessThatClaimedIt() {
        Path directory = ClusterDirectory.claim(parent.resolve("sim")).path();

        assertThat(ClusterDirectory.owner(directory))
                .contains(ProcessHandle.current().pid());
        assertThatThrownBy(() -> ClusterDirectory.claim(directory))
                .isInstanceOf(SimClusterException.class)
                .hasMessage(
                        "a simulated cluster runs there: dir=%s pid=%d; end it with sim down --dir %s, or choose another directory",
                        directory, ProcessHandle.current().pid(), directory);
    }

    @Test
    void losesWhatAnEndedProcessLeftInIt() throws IOException {
        Path directory = Files.createDirectory(parent.resolve("sim"));
        Files.writeString(directory.resolve("owner"), NOBODY + " 2020-01-01T00:00:00Z");
        Files.createDirectories(directory.resolve("n/node"));
        Files.writeString(directory.resolve("n/node/leftover"), "");

        ClusterDirectory.claim(directory);

        assertThat(directory.resolve("n")).doesNotExist();
    }

    @Test
    void isNotTakenFromAProcessThatHasTheNumberOfAnEndedOne() throws IOException {
        Path directory = Files.createDirectory(parent.resolve("sim"));
        Files.writeString(directory.resolve("owner"), ProcessHandle.current().pid() + " 2020-01-01T00:00:00Z");

        assertThat(ClusterDirectory.owner(directory)).isEmpty();
    }

    @Test
    void refusesADirectoryWithOtherThingsInIt() throws IOException {
        Files.writeString(parent.resolve("precious"), "");

        assertThatThrownBy(() -> ClusterDirectory.claim(parent))
                .isInstanceOf(SimClusterException.class)
                .hasMessage(
                        "a simulated cluster needs a directory of its own: dir=%s is not empty; choose another",
                        parent);
        assertThat(parent.resolve("precious")).exists();
    }
}
