package io.numaledger.simulator.apiserver;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a watch is about.
 *
 * @param since the revision whose changes are known already; empty without initial events means: from now
 * @param initialEvents true if the present objects come first
 * @param timeout after which the stream ends
 */
record WatchOptions(
        Presentation presentation,
        Selection selection,
        Optional<Long> since,
        boolean initialEvents,
        boolean bookmarks,
        Duration bookmarkPeriod,
        Duration timeout) {

    /** The real server picks a time between 30 and 60 minutes. */
    private static final long DEFAULT_TIMEOUT_SECONDS = 1800;

    static WatchOptions of(Target target, RecordedRequest request, Duration bookmarkPeriod) {
        OptionalLong version = ListParameters.resourceVersion(request);
        boolean fromAnything = version.isEmpty() || version.getAsLong() == 0;
        ListParameters.versionMatch(request);
        boolean initial = request.parameter("sendInitialEvents")
                .map(value -> value.equals("true") || value.equals("1"))
                .orElse(fromAnything);
        return new WatchOptions(
                Presentation.of(target, request),
                Selection.of(target, request),
                fromAnything ? Optional.empty() : Optional.of(version.getAsLong()),
                initial,
                request.isTrue("allowWatchBookmarks"),
                bookmarkPeriod,
                timeout(request));
    }

    private static Duration timeout(RecordedRequest request) {
        long asked = ListParameters.number(request, "timeoutSeconds").orElse(0);
        return Duration.ofSeconds(asked > 0 ? asked : DEFAULT_TIMEOUT_SECONDS);
    }

    ResourceType type() {
        return presentation.type();
    }
}
