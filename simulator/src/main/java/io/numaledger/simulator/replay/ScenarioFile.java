package io.numaledger.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.simulator.text.TextErrors;

import java.io.BufferedReader;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/** A file of scenarios, one JSON object a line, compressed with gzip if its name ends in {@code .gz}. */
record ScenarioFile(Path path) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Hands over the scenarios in the order of the file.
     *
     * @throws UncheckedIOException when the file cannot be read
     * @throws IllegalArgumentException naming the line that is no scenario
     */
    void forEach(Consumer<Scenario> reader) {
        try (InputStream raw = Files.newInputStream(path);
                InputStream plain = path.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw;
                BufferedReader lines = new BufferedReader(new BoundedLines(plain))) {
            int number = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isBlank()) {
                    reader.accept(parse(line, number));
                }
                number++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read scenarios: file=%s: %s; give a file of recorded scenarios, .jsonl or .jsonl.gz"
                            .formatted(path, e.getMessage()),
                    e);
        }
    }

    private Scenario parse(String line, int number) throws IOException {
        try {
            JsonNode json = JSON.readTree(line);
            return ScenarioReader.read(json);
        } catch (JsonProcessingException malformed) {
            throw notAScenario(number, TextErrors.describe(malformed), malformed);
        } catch (RuntimeException malformed) {
            throw notAScenario(number, String.valueOf(malformed.getMessage()), malformed);
        }
    }

    private IllegalArgumentException notAScenario(int line, String why, Exception cause) {
        return new IllegalArgumentException("not a scenario: file=%s line=%d; %s".formatted(path, line, why), cause);
    }

    /** A text whose lines all fit into memory, whatever a small compressed file expands to. */
    private static final class BoundedLines extends FilterReader {

        private static final int MAX_CHARACTERS = 4 << 20;

        private long characters;

        BoundedLines(InputStream text) {
            super(new InputStreamReader(text, StandardCharsets.UTF_8));
        }

        @Override
        public int read(char[] into, int offset, int length) throws IOException {
            int count = super.read(into, offset, length);
            for (int i = offset; i < offset + count; i++) {
                characters = into[i] == '\n' ? 0 : characters + 1;
            }
            if (characters > MAX_CHARACTERS) {
                throw new IOException("a line has more than %d characters".formatted(MAX_CHARACTERS));
            }
            return count;
        }
    }
}
