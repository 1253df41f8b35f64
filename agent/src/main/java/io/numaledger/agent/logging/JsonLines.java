package io.numaledger.agent.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.LayoutBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A log line as one JSON object: {@code time}, {@code level}, then the keys of the line. The keys are taken from the line's
 * pattern and not from its text, so that a value may hold anything.
 */
final class JsonLines extends LayoutBase<ILoggingEvent> {

    private static final Pattern PAIR = Pattern.compile("([A-Za-z_][A-Za-z0-9_.]*)=('([^']*)'|\\S*)");
    private static final String PLACEHOLDER = "{}";
    private static final JsonFactory JSON = new JsonFactory();

    @Override
    public String doLayout(ILoggingEvent event) {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField("time", event.getInstant().toString());
            json.writeStringField("level", event.getLevel().toString());
            if (event.getMessage().startsWith("event=")) {
                pairs(json, event);
            } else {
                // A library's line: it has no keys.
                json.writeStringField("logger", event.getLoggerName());
                json.writeStringField("message", event.getFormattedMessage());
            }
            IThrowableProxy thrown = event.getThrowableProxy();
            if (thrown != null) {
                json.writeStringField("error", thrown.getClassName() + ": " + thrown.getMessage());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a log line to memory; report it", e);
        }
        return line.append('\n').toString();
    }

    private static void pairs(JsonGenerator json, ILoggingEvent event) throws IOException {
        Object[] arguments = event.getArgumentArray() == null ? new Object[0] : event.getArgumentArray();
        int next = 0;
        Matcher pair = PAIR.matcher(event.getMessage());
        while (pair.find()) {
            String pattern = pair.group(3) == null ? pair.group(2) : pair.group(3);
            if (pattern.equals(PLACEHOLDER) && next < arguments.length) {
                value(json, pair.group(1), arguments[next]);
                next++;
                continue;
            }
            String text = pattern;
            while (text.contains(PLACEHOLDER) && next < arguments.length) {
                int at = text.indexOf(PLACEHOLDER);
                text = text.substring(0, at) + arguments[next] + text.substring(at + PLACEHOLDER.length());
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
