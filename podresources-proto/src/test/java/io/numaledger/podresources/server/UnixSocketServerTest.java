package io.numaledger.podresources.server;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class UnixSocketServerTest {

    @Test
    void refusesAPathThatIsTooLongForTheKernel() {
        Path tooLong = Path.of("/tmp", "x".repeat(110), "a.sock");

        assertThatThrownBy(() -> UnixSocketServer.start(tooLong, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the path of a unix socket has at most 107 bytes: socket=%s; use a directory with a shorter path",
                        tooLong);
    }
}
