package io.numaledger.apiservers.fake.request;

import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;

import java.util.Optional;
import java.util.OptionalLong;

/** Parses the query parameters of {@code ListOptions}: numbers and resource versions. */
public final class QueryParameters {

    private static final String KIND = "ListOptions";

    private QueryParameters() {}

    public static OptionalLong number(RecordedRequest request, String name) {
        Optional<String> text = request.parameter(name);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("-?\\d{1,18}")) {
            throw ApiError.badRequest("strconv.ParseInt: parsing \"%s\": invalid syntax".formatted(text.get()));
        }
        return OptionalLong.of(Long.parseLong(text.get()));
    }

    /** The requested resource version; empty for the latest state. Zero has its own meaning and is kept. */
    public static OptionalLong resourceVersion(RecordedRequest request) {
        Optional<String> text = request.parameter("resourceVersion");
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("\\d{1,18}")) {
            throw ApiError.badRequest(
                    "invalid resource version: resourceVersion: Invalid value: \"%s\": strconv.ParseUint: parsing \"%s\": invalid syntax"
                            .formatted(text.get(), text.get()));
        }
        return OptionalLong.of(Long.parseLong(text.get()));
    }

    public static Optional<String> versionMatch(RecordedRequest request) {
        Optional<String> match = request.parameter("resourceVersionMatch");
        boolean initialEvents = request.query().containsKey("sendInitialEvents");
        if (match.isPresent() && request.parameter("resourceVersion").isEmpty() && !initialEvents) {
            throw forbiddenMatch("resourceVersionMatch is forbidden unless resourceVersion is provided");
        }
        if (initialEvents && !match.equals(Optional.of("NotOlderThan"))) {
            throw forbiddenMatch("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        return match;
    }

    private static ApiError forbiddenMatch(String rule) {
        return ApiError.invalidOptions(KIND, FieldError.forbidden("resourceVersionMatch", rule));
    }
}
