package io.numaledger.cli;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import javax.net.ssl.SSLPeerUnverifiedException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class FailuresTest {

    /** As OkHttp and the JDK's client throw them. */
    static Stream<Arguments> failures() {
        return Stream.of(
                arguments("connection refused", new ConnectException()),
                arguments(
                        "connection refused",
                        new ConnectException("Failed to connect to /127.0.0.1:1")
                                .initCause(new ConnectException("Connection refused"))),
                arguments(
                        "no answer in time",
                        new InterruptedIOException("timeout").initCause(new SocketException("Socket closed"))),
                arguments("no answer in time", new SocketTimeoutException("Connect timed out")),
                arguments(
                        "Hostname a not verified: DN: CN=b",
                        new SSLPeerUnverifiedException("Hostname a not verified:\n    DN: CN=b")),
                arguments("IOException", new IOException()));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("failures")
    void namesTheCauseInOneLine(String reason, Throwable cause) {
        assertThat(Failures.reason(new IllegalStateException("cannot read", cause)))
                .isEqualTo(reason);
    }
}
