package io.numaledger.benchmarks.footprint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Counts the agent's requests in the audit log of the API server. */
final class AuditLog {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [ResponseStarted, ResponseComplete, Panic]
            rules:
            - level: Metadata
            """;

    private final Path file;

    private AuditLog(Path file) {
        this.file = file;
    }

    static AuditLog in(Path directory) throws IOException {
        Files.writeString(directory.resolve("audit-policy.yaml"), POLICY);
        return new AuditLog(directory.resolve("audit.log"));
    }

    List<String> apiServerArguments() {
        return List.of(
                "--audit-policy-file=" + file.resolveSibling("audit-policy.yaml"),
                "--audit-log-path=" + file,
                "--audit-log-mode=blocking");
    }

    /** Verb → number of requests of the agent so far. */
    SortedMap<String, Long> byVerb() {
        SortedMap<String, Long> counts = new TreeMap<>();
        try (var lines = Files.lines(file)) {
            lines.filter(line -> line.contains("\"userAgent\":\"numaledger-agent\""))
                    .map(AuditLog::verb)
                    .forEach(verb -> counts.merge(verb, 1L, Long::sum));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the API server's audit log: file=%s".formatted(file), e);
        }
        return counts;
    }

    private static String verb(String line) {
        try {
            JsonNode event = JSON.readTree(line);
            return event.path("verb").asText();
        } catch (IOException e) {
            throw new UncheckedIOException("the API server's audit log has a line that is no JSON: " + line, e);
        }
    }

    static long writes(SortedMap<String, Long> byVerb) {
        return byVerb.getOrDefault("patch", 0L)
                + byVerb.getOrDefault("create", 0L)
                + byVerb.getOrDefault("update", 0L)
                + byVerb.getOrDefault("delete", 0L);
    }

    /** The requests since an earlier count. */
    static SortedMap<String, Long> since(SortedMap<String, Long> earlier, SortedMap<String, Long> later) {
        SortedMap<String, Long> more = new TreeMap<>();
        later.forEach((verb, count) -> {
            long difference = count - earlier.getOrDefault(verb, 0L);
            if (difference > 0) {
                more.put(verb, difference);
            }
        });
        return more;
    }
}
