package io.numaledger.kubectl.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.objects.JsonFault;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The kubectl that started the plugin. It connects and authenticates, so that everything works that works with kubectl. */
public final class Kubectl {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final String program;
    private final List<String> flags;

    /** @param flags how to reach the cluster, such as {@code --context=other} */
    public Kubectl(String program, List<String> flags) {
        this.program = program;
        this.flags = List.copyOf(flags);
    }

    /** @param path such as {@code /api/v1/nodes} */
    public JsonNode get(String path) throws IOException {
        return json(path, output(List.of("get", "--raw", path), Optional.empty()));
    }

    /** Gets the lines of an answer that goes on. */
    @FunctionalInterface
    public interface Lines {

        /** @param more whether another line is there already */
        void next(String line, boolean more) throws IOException, InterruptedException;
    }

    /** Reads an answer line by line, until it ends. */
    public void follow(String path, Lines lines) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program, "get", "--raw", path));
        command.addAll(flags);
        command.add("--request-timeout=0"); // of the flags with one name, the last one counts
        Process process = start(command, Redirect.INHERIT);
        Thread end = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(end);
        try (BufferedReader from = process.inputReader(StandardCharsets.UTF_8)) {
            CompletableFuture<String> errors =
                    CompletableFuture.supplyAsync(() -> errors(process, Writer.nullWriter()));
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                lines.next(line, from.ready());
            }
            if (process.waitFor() != 0) {
                throw KubectlException.of(errors.join());
            }
        } finally {
            process.destroy();
            forget(end);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shutsDown) {
            // It runs.
        }
    }

    /** Creates an object, and returns the answer. */
    public JsonNode create(String path, JsonNode object) throws IOException {
        return json(path, output(List.of("create", "--raw", path, "-f", "-"), Optional.of(object.toString())));
    }

    private static JsonNode json(String path, String answer) throws IOException {
        try {
            return JSON.readTree(answer);
        } catch (JsonProcessingException e) {
            throw new IOException(
                    "the API server's answer is no JSON: path=%s: %s; check with kubectl get --raw /version whether a proxy answers"
                            .formatted(path, JsonFault.of(e)),
                    e);
        }
    }

    /** The objects of some types in all namespaces, as a dump has them. */
    public String objects(String types) throws IOException {
        return output(List.of("get", types, "--all-namespaces", "--output=json"), Optional.empty());
    }

    /** Objects as the lines that {@code kubectl get} prints for people, without the header. */
    public String table(String type, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("get", type, "--no-headers"));
        arguments.addAll(List.of(options));
        return output(arguments, Optional.empty(), Writer.nullWriter());
    }

    /** The namespace of the current context. */
    public String namespace() throws IOException {
        try {
            String named =
                    output(List.of("config", "view", "--minify", "--output=jsonpath={..namespace}"), Optional.empty());
            return named.isBlank() ? "default" : named.strip();
        } catch (KubectlException noContext) {
            return "default";
        }
    }

    /** The name of the current context; empty: there is none. */
    public String context() throws IOException {
        try {
            return output(
                            List.of("config", "view", "--minify", "--output=jsonpath={.current-context}"),
                            Optional.empty())
                    .strip();
        } catch (KubectlException noContext) {
            return "";
        }
    }

    /** What kubectl would propose in its own command line, as its completion protocol has it. */
    public String completions(List<String> words) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("__complete"));
        arguments.addAll(words);
        return output(arguments, Optional.empty(), Writer.nullWriter());
    }

    private String output(List<String> arguments, Optional<String> input) throws IOException {
        Writer messages = new TerminalWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8));
        return output(arguments, input, messages);
    }

    /** @throws KubectlException with what kubectl says, if it fails */
    private String output(List<String> arguments, Optional<String> input, Writer messages) throws IOException {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(arguments);
        command.addAll(arguments.get(0).equals("__complete") ? List.of() : flags);
        Process process = start(command, input.isPresent() ? Redirect.PIPE : Redirect.INHERIT);
        CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> errors(process, messages));
        if (input.isPresent()) {
            try (OutputStream to = process.getOutputStream()) {
                to.write(input.get().getBytes(StandardCharsets.UTF_8));
            } catch (IOException kubectlEnded) {
                // Its error says why.
            }
        }
        try (InputStream from = process.getInputStream()) {
            String output = new String(from.readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            String error = errors.join();
            if (status != 0) {
                throw KubectlException.of(
                        error.isEmpty() ? "kubectl failed: status=%d; see its output above".formatted(status) : error);
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for kubectl", e);
        } catch (CompletionException e) {
            throw new IOException("cannot read what kubectl says: program=" + program, e);
        }
    }

    private Process start(List<String> command, Redirect input) throws IOException {
        try {
            return new ProcessBuilder(command).redirectInput(input).start();
        } catch (IOException e) {
            throw new IOException(
                    "cannot start kubectl: program=%s; put kubectl on the path, or set KUBECTL_PATH to it"
                            .formatted(program),
                    e);
        }
    }

    private static String errors(Process process, Writer messages) {
        try (InputStreamReader from = new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8)) {
            return ErrorOutput.passOn(from, messages);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
