package io.numaledger.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import javax.net.ssl.SSLPeerUnverifiedException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.Callable;
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

    /** A command that fails. */
    @Command(name = "fail", exitCodeOnExecutionException = 3)
    private record Fail(Exception failure) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            throw failure;
        }
    }

    private static String printed(Exception failure) {
        StringWriter err = new StringWriter();
        CommandLine line = new CommandLine(new Fail(failure))
                .setErr(new PrintWriter(err))
                .setExecutionExceptionHandler(Failures::print);
        assertThat(TerminalWriter.execute(line)).isEqualTo(3);
        return err.toString();
    }

    @Test
    void indentsAllButTheFirstLineOfAMessage() {
        assertThat(printed(new IOException("Error from server: a\n\033[31mred\r\nlevel=ERROR\rb\n")))
                .isEqualTo("Error from server: a\n  \\u001b[31mred\n  level=ERROR\n  b\n");
    }

    @Test
    void printsTheStackOfAFaultOfTheProgram() {
        assertThat(printed(new IllegalStateException("a\n\033[31mred")))
                .startsWith(
                        "java.lang.IllegalStateException: a\n  \\u001b[31mred\n  \tat io.numaledger.cli.FailuresTest");
    }
}
