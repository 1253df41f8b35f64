package io.numaledger.simulator.socket;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UnixSocketServerTest {

    @Test
    void refusesAPathThatTheKernelWouldCut() {
        Path tooLong = Path.of("/tmp", "x".repeat(110), "a.sock");

        assertThatThrownBy(() -> UnixSocketServer.start(tooLong, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a unix socket's path has at most 107 bytes: socket=%s; use a directory with a shorter path",
                        tooLong);
    }
}
