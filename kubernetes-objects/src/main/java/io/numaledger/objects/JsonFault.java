package io.numaledger.objects;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import org.jspecify.annotations.Nullable;

import java.util.Optional;

/** What is wrong with JSON, in one line without the names of classes. */
public final class JsonFault {

    private JsonFault() {}

    /** What is wrong with the value of a field, or with an amount. */
    static String of(IllegalArgumentException failure) {
        return failure.getCause() instanceof JsonMappingException mapping
                ? path(mapping)
                : firstLine(failure.getMessage());
    }

    /** What is wrong with the text, and where. */
    public static String of(JsonProcessingException failure) {
        if (failure instanceof JsonMappingException mapping
                && !mapping.getPath().isEmpty()) {
            return path(mapping);
        }
        String problem = firstLine(failure.getOriginalMessage())
                .replaceFirst(" \\((?:start marker|for \\w+ starting) at .*| for `.*", "")
                .replaceAll(", from `[^`]*`", "");
        return Optional.ofNullable(failure.getLocation())
                .map(at -> problem + place(at))
                .orElse(problem);
    }

    private static String place(JsonLocation at) {
        return " in line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
    }

    private static String path(JsonMappingException failure) {
        StringBuilder path = new StringBuilder();
        for (Reference step : failure.getPath()) {
            path.append(
                    step.getFieldName() == null
                            ? "[%d]".formatted(step.getIndex())
                            : (path.isEmpty() ? "" : ".") + step.getFieldName());
        }
        Throwable cause = failure.getCause();
        String why = failure instanceof ValueInstantiationException && cause != null
                ? firstLine(cause.getMessage())
                : "a value of the wrong type";
        return path + ": " + why;
    }

    private static String firstLine(@Nullable String text) {
        return String.valueOf(text).lines().findFirst().orElse("");
    }
}
