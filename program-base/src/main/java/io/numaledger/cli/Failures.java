package io.numaledger.cli;

import picocli.CommandLine;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.stream.Collectors;

/** Reports failures in one line. Errors of the program itself have their stack trace. */
public final class Failures {

    private Failures() {}

    /** Prints the failure of a command; returns the command's exit status for failures. */
    public static int print(Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        command.getErr().println(paragraph(sentence(failure)));
        return command.getCommandSpec().exitCodeOnExecutionException();
    }

    /** A message of several lines, such as kubectl's, with all but the first indented: what it quotes cannot pass for another message. */
    public static String paragraph(String message) {
        return message.strip().lines().collect(Collectors.joining(System.lineSeparator() + "  "));
    }

    private static String sentence(Exception failure) {
        if (failure instanceof NoSuchFileException missing) {
            return "cannot read a file: file=%s does not exist; check the path".formatted(missing.getFile());
        }
        if (failure instanceof AccessDeniedException denied) {
            return "cannot read a file: file=%s: permission denied; check its owner and mode"
                    .formatted(denied.getFile());
        }
        if (failure instanceof IOException
                || failure instanceof UncheckedIOException
                || failure instanceof IllegalArgumentException) {
            return String.valueOf(failure.getMessage());
        }
        StringWriter stack = new StringWriter();
        failure.printStackTrace(new PrintWriter(stack, true));
        return stack.toString();
    }

    /** The cause of a failed connection in one line, such as {@code connection refused}: the same of OkHttp and of the JDK's client. */
    public static String reason(Throwable failure) {
        Throwable last = failure;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof HttpConnectTimeoutException) {
                return "no connection in time";
            }
            if (each instanceof UnresolvedAddressException) {
                return "unknown host";
            }
            if (each instanceof UnknownHostException) {
                return "unknown host: " + each.getMessage();
            }
            if (each instanceof InterruptedIOException) {
                return "no answer in time";
            }
            last = each;
        }
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof ConnectException
                    && (each.getMessage() == null || each.getMessage().equals("Connection refused"))) {
                return "connection refused";
            }
        }
        return last.getMessage() == null
                ? last.getClass().getSimpleName()
                : last.getMessage().replaceAll("\\s*\\R\\s*", " ");
    }
}
