package io.numaledger.apiservers.real;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class FreePortTest {

    @Test
    void givesNoneThatIsListenedOnOrThatAnOutgoingConnectionCouldHave() throws IOException {
        try (ServerSocket taken = new ServerSocket(FreePort.next(), 1, InetAddress.getLoopbackAddress())) {
            int[] round = IntStream.range(0, 16_384).map(i -> FreePort.next()).toArray();

            assertThat(round).doesNotContain(taken.getLocalPort());
            assertThat(IntStream.of(round).max().orElseThrow()).isLessThan(32_768);
        }
    }
}
