package io.numaledger.simulator.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.numaledger.text.NearNames;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says what is wrong with a YAML or JSON text, in words of its writer: no class names. */
public final class TextErrors {

    /** Where the parser's texts name its classes. */
    private static final Pattern CLASSES = Pattern.compile(",? from `[^`]*`|\\(class [^)]*\\)");

    private TextErrors() {}

    /** Such as {@code line 4: no such field; did you mean cores?}. */
    public static String describe(JsonProcessingException error) {
        return describe(error, Optional.ofNullable(error.getLocation()));
    }

    /** The same where a text was read into records, whose fields are judged after the last one was read. */
    public static String describe(JsonMappingException error, JsonFactory format, String text) {
        Optional<JsonLocation> field =
                error instanceof MismatchedInputException ? place(error.getPath(), format, text) : Optional.empty();
        return describe(error, field.or(() -> Optional.ofNullable(error.getLocation())));
    }

    private static String describe(JsonProcessingException error, Optional<JsonLocation> location) {
        String why = "%.200s".formatted(why(error));
        return location.filter(place -> place.getLineNr() > 0)
                .map(place -> "line %d: %s".formatted(place.getLineNr(), why))
                .orElse(why);
    }

    /** Where the field or element of a path begins. */
    private static Optional<JsonLocation> place(
            List<JsonMappingException.Reference> path, JsonFactory format, String text) {
        Optional<JsonLocation> place = Optional.empty();
        try (JsonParser parser = format.createParser(text)) {
            parser.nextToken();
            for (JsonMappingException.Reference step : path) {
                place = parser.currentToken() == JsonToken.START_ARRAY
                        ? element(step.getIndex(), parser)
                        : field(String.valueOf(step.getFieldName()), parser);
                if (place.isEmpty()) {
                    return place;
                }
            }
            return place;
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Leaves the parser at the element. */
    private static Optional<JsonLocation> element(int index, JsonParser parser) throws IOException {
        for (int each = 0; parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null; each++) {
            if (each == index) {
                return Optional.of(parser.currentTokenLocation());
            }
            parser.skipChildren();
        }
        return Optional.empty();
    }

    /** Leaves the parser at the value of the field. */
    private static Optional<JsonLocation> field(String name, JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            JsonLocation place = parser.currentTokenLocation();
            boolean isWanted = name.equals(parser.currentName());
            parser.nextToken();
            if (isWanted) {
                return Optional.of(place);
            }
            parser.skipChildren();
        }
        return Optional.empty();
    }

    private static String why(JsonProcessingException error) {
        if (error instanceof UnrecognizedPropertyException unknown) {
            return "no such field" + expected(unknown.getPropertyName(), names(unknown.getKnownPropertyIds()));
        }
        if (error instanceof InvalidFormatException wrong) {
            return "'%.40s' is not %s".formatted(wrong.getValue(), kind(wrong.getTargetType()));
        }
        if (error instanceof MismatchedInputException wrong && wrong.getTargetType() != null) {
            return "expected " + kind(wrong.getTargetType());
        }
        return syntax(error.getOriginalMessage());
    }

    private static List<String> names(Collection<Object> fields) {
        return fields.stream().map(String::valueOf).toList();
    }

    private static String expected(String name, List<String> known) {
        String near = NearNames.hint(name, known);
        return near.isEmpty() ? "; expected one of " + String.join(", ", known) : near;
    }

    private static String kind(Class<?> type) {
        if (type == Integer.class || type == Long.class || type == int.class || type == long.class) {
            return "a whole number";
        }
        if (type == Boolean.class) {
            return "true or false";
        }
        if (type == String.class) {
            return "a text";
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "a list";
        }
        if (Map.class.isAssignableFrom(type)) {
            return "a mapping of names to values";
        }
        return type.isRecord() ? "a mapping with the fields " + fields(type) : "another kind of value";
    }

    private static String fields(Class<?> type) {
        return Stream.of(type.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.joining(", "));
    }

    /** A parser's text, without the excerpts that it indents. */
    private static String syntax(String text) {
        return CLASSES.matcher(text)
                .replaceAll("")
                .lines()
                .filter(line -> !line.startsWith(" "))
                .collect(Collectors.joining(", "));
    }
}
