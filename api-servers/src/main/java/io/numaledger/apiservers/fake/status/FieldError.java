package io.numaledger.apiservers.fake.status;

/**
 * What is wrong with one field of an object.
 *
 * @param reason as in the causes of a Status object, such as {@code FieldValueRequired}
 */
public record FieldError(String reason, String field, String message) {

    public static FieldError required(String field) {
        return required(field, "");
    }

    /** @param rule empty, or what to give */
    public static FieldError required(String field, String rule) {
        return new FieldError(
                "FieldValueRequired", field, rule.isEmpty() ? "Required value" : "Required value: " + rule);
    }

    public static FieldError invalid(String field, String shownValue, String rule) {
        return new FieldError("FieldValueInvalid", field, "Invalid value: %s: %s".formatted(shownValue, rule));
    }

    public static FieldError forbidden(String field, String rule) {
        return new FieldError("FieldValueForbidden", field, "Forbidden: " + rule);
    }
}
