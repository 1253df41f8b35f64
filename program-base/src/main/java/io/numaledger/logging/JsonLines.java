package io.numaledger.logging;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.numaledger.text.ControlCharacters;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A log line as one JSON object: {@code time}, {@code level}, then the keys of the line. The keys are taken from the line's
 * pattern and not from its text, so that a value may hold anything.
 */
final class JsonLines {

    private static final Pattern PAIR = Pattern.compile("([A-Za-z_][A-Za-z0-9_.]*)=('([^']*)'|\\S*)");
    private static final String PLACEHOLDER = "{}";
    private static final JsonFactory JSON = new JsonFactory();

    private JsonLines() {}

    static String write(LogLine line) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("time", line.time().toString());
            json.writeStringField("level", line.level().toString());
            if (line.pattern().startsWith("event=")) {
                pairs(json, line);
            } else {
                // A library's line: it has no keys.
                json.writeStringField("logger", line.logger());
                json.writeStringField("message", line.message());
            }
            if (line.thrown().isPresent()) {
                json.writeStringField("error", line.thrown().get().toString());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a log line to memory; report it", e);
        }
        return ControlCharacters.escaped(text.toString()) + '\n';
    }

    private static void pairs(JsonGenerator json, LogLine line) throws IOException {
        List<Object> arguments = line.arguments();
        int next = 0;
        Matcher pair = PAIR.matcher(line.pattern());
        while (pair.find()) {
            String pattern = pair.group(3) == null ? pair.group(2) : pair.group(3);
            if (pattern.equals(PLACEHOLDER) && next < arguments.size()) {
                value(json, pair.group(1), arguments.get(next));
                next++;
                continue;
            }
            String text = pattern;
            while (text.contains(PLACEHOLDER) && next < arguments.size()) {
                int at = text.indexOf(PLACEHOLDER);
                text = text.substring(0, at) + arguments.get(next) + text.substring(at + PLACEHOLDER.length());
                next++;
            }
            json.writeStringField(pair.group(1), text);
        }
    }

    private static void value(JsonGenerator json, String key, Object value) throws IOException {
        if (value instanceof Integer || value instanceof Long) {
            json.writeNumberField(key, ((Number) value).longValue());
        } else if (value instanceof Boolean truth) {
            json.writeBooleanField(key, truth);
        } else {
            json.writeStringField(key, String.valueOf(value));
        }
    }
}
