package io.numaledger.agent.kubelet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class SocketWatchTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private final Semaphore changes = new Semaphore(0);

    @Test
    void hearsSocketsThatComeGoAndAreReplaced() throws Exception {
        Path socket = directory.resolve("gpu.sock");
        try (SocketWatch watch = watch()) {
            try (ServerSocketChannel plugin = listen(socket)) {
                assertHeard();
                Files.delete(socket);
                assertHeard();
            }
            try (ServerSocketChannel plugin = listen(socket)) {
                assertHeard();
            }
        }
    }

    /** The kubelet does this for each container with devices. */
    @Test
    void hearsNothingOfTheKubeletsCheckpoint() throws Exception {
        try (SocketWatch watch = watch()) {
            Path whole = Files.writeString(directory.resolve(".123"), "{}");
            Files.move(whole, directory.resolve("kubelet_internal_checkpoint"), StandardCopyOption.ATOMIC_MOVE);
            try (ServerSocketChannel plugin = listen(directory.resolve("gpu.sock"))) {
                assertHeard();
            }
            assertThat(changes.availablePermits()).isZero();
        }
    }

    @Test
    void aMissingDirectoryIsNoError() throws Exception {
        try (SocketWatch watch = watch()) {
            assertThat(changes.tryAcquire()).isFalse();
        }
    }

    private SocketWatch watch() {
        return new SocketWatch(List.of(directory.resolve("missing"), directory), changes::release);
    }

    private static ServerSocketChannel listen(Path socket) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    private void assertHeard() throws InterruptedException {
        assertThat(changes.tryAcquire(SOON.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
    }
}
