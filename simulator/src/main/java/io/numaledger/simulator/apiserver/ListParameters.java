package io.numaledger.simulator.apiserver;

import io.numaledger.simulator.apiserver.ApiError.Cause;

import java.util.Optional;
import java.util.OptionalLong;

/** The numbers and the version match in the query of a list or a watch. */
final class ListParameters {

    private static final String KIND = "ListOptions";

    private ListParameters() {}

    static OptionalLong number(RecordedRequest request, String name) {
        Optional<String> text = request.parameter(name);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        if (!text.get().matches("-?\\d{1,18}")) {
            throw ApiError.badRequest("strconv.ParseInt: parsing \"%s\": invalid syntax".formatted(text.get()));
        }
        return OptionalLong.of(Long.parseLong(text.get()));
    }

    /** Empty for the latest state; 0 is kept, since a list from it ignores its limit. */
    static OptionalLong resourceVersion(RecordedRequest request) {
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

    static Optional<String> versionMatch(RecordedRequest request) {
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
        return ApiError.invalidOptions(KIND, Cause.forbidden("resourceVersionMatch", rule));
    }
}
