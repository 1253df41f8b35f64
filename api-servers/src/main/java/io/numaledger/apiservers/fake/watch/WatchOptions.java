package io.numaledger.apiservers.fake.watch;

import io.numaledger.apiservers.fake.request.QueryParameters;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.selection.Selection;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The options of a watch.
 *
 * @param since the resource version to start after; empty for the latest
 * @param initialEvents whether the watch begins with an event for each existing object
 * @param timeout when the stream ends
 */
public record WatchOptions(
        ResourceType type,
        Selection selection,
        Optional<Long> since,
        boolean initialEvents,
        boolean bookmarks,
        Duration bookmarkPeriod,
        Duration timeout) {

    /** kube-apiserver chooses a time between 30 and 60 minutes. */
    private static final long DEFAULT_TIMEOUT_SECONDS = 1800;

    public static WatchOptions of(Target target, RecordedRequest request, Duration bookmarkPeriod) {
        OptionalLong version = QueryParameters.resourceVersion(request);
        boolean fromAnything = version.isEmpty() || version.getAsLong() == 0;
        QueryParameters.versionMatch(request);
        boolean initial = request.parameter("sendInitialEvents")
                .map(value -> value.equals("true") || value.equals("1"))
                .orElse(fromAnything);
        return new WatchOptions(
                target.type(),
                Selection.of(target, request),
                fromAnything ? Optional.empty() : Optional.of(version.getAsLong()),
                initial,
                request.isTrue("allowWatchBookmarks"),
                bookmarkPeriod,
                timeout(request));
    }

    private static Duration timeout(RecordedRequest request) {
        long asked = QueryParameters.number(request, "timeoutSeconds").orElse(0);
        return Duration.ofSeconds(asked > 0 ? asked : DEFAULT_TIMEOUT_SECONDS);
    }
}
