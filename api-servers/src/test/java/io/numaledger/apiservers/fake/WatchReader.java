package io.numaledger.apiservers.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Reads the events of one watch. */
final class WatchReader implements AutoCloseable {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String CLEAN_END = "end";
    private static final String CUT = "cut";

    private final int code;
    private final InputStream body;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    WatchReader(int code, InputStream body) {
        this.code = code;
        this.body = body;
        Thread reader = new Thread(this::read, "watch-reader");
        reader.setDaemon(true);
        reader.start();
    }

    int code() {
        return code;
    }

    /** Waits for the next event. */
    JsonNode next() {
        String line = line();
        try {
            return MAPPER.readTree(line);
        } catch (IOException e) {
            throw new AssertionError("expected an event, but the watch gave: " + line, e);
        }
    }

    /** The next change as its type and the object's name, such as {@code ADDED p1}. A server may send bookmarks at any time. */
    String nextShort() {
        JsonNode event = next();
        while (event.path("type").asText().equals("BOOKMARK")) {
            event = next();
        }
        return event.path("type").asText() + " "
                + event.at("/object/metadata/name").asText();
    }

    List<String> nextShort(int count) {
        List<String> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(nextShort());
        }
        return events;
    }

    /** Waits for the end of the stream. Returns whether it ended regularly; false if the connection was cut. */
    boolean endsCleanly() {
        String line = line();
        while (!line.equals(CLEAN_END) && !line.equals(CUT)) {
            line = line();
        }
        return line.equals(CLEAN_END);
    }

    @Override
    public void close() {
        try {
            body.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String line() {
        try {
            String line = lines.poll(3, TimeUnit.MINUTES);
            if (line == null) {
                throw new AssertionError("the watch gave nothing for 3 minutes");
            }
            return line;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void read() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            String line = reader.readLine();
            while (line != null) {
                lines.add(line);
                line = reader.readLine();
            }
            lines.add(CLEAN_END);
        } catch (IOException e) {
            lines.add(CUT);
        }
    }
}
