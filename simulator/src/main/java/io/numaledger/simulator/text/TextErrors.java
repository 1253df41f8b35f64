package io.numaledger.simulator.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.numaledger.text.NearNames;

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
        String why = "%.200s".formatted(why(error));
        return Optional.ofNullable(error.getLocation())
                .filter(place -> place.getLineNr() > 0)
                .map(place -> "line %d: %s".formatted(place.getLineNr(), why))
                .orElse(why);
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
