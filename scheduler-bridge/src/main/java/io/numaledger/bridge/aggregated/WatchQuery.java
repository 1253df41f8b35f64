package io.numaledger.bridge.aggregated;

import io.numaledger.bridge.server.BridgeServer.Request;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the query of a watch asks for, in the words of Kubernetes' ListOptions.
 *
 * @param node the only one to watch
 * @param since the version that the caller knows; empty: it knows nothing, and gets all nodes first
 * @param bookmarks whether it may be told now and then which version it knows
 * @param initialEnd whether it is told when it knows all nodes
 */
record WatchQuery(Optional<String> node, OptionalLong since, boolean bookmarks, boolean initialEnd, Duration timeout) {

    /** Rights are checked when a watch begins. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    private static final String NAME = "metadata.name=";

    /** Whether a request is a watch. */
    static boolean isIn(Request request) {
        return request.query().containsKey("watch") && isTrue(request, "watch");
    }

    /** Whether a parameter is true, as kube-apiserver reads it: runtime/converter.go, Convert_Slice_string_To_bool. */
    private static boolean isTrue(Request request, String key) {
        List<String> values = request.query().getOrDefault(key, List.of("false"));
        String value = values.get(0).toLowerCase(Locale.ROOT);
        return !value.equals("false") && !value.equals("0");
    }

    private static String value(Request request, String key) {
        return request.query().getOrDefault(key, List.of("")).get(0);
    }

    /** The node that a request names; empty: all. */
    static String node(Request request) {
        String inPath = request.rest().isEmpty() ? "" : request.rest().substring(1);
        String selector = value(request, "fieldSelector");
        return inPath.isEmpty() && selector.startsWith(NAME) ? selector.substring(NAME.length()) : inPath;
    }

    /** @throws IllegalArgumentException for what is not served */
    static WatchQuery of(Request request) {
        String node = node(request);
        String fields = value(request, "fieldSelector");
        if (!value(request, "labelSelector").isEmpty() || (!fields.isEmpty() && !fields.equals(NAME + node))) {
            throw new IllegalArgumentException(
                    "cannot select: labelSelector=%s fieldSelector=%s; a watch of numanodes selects by metadata.name=NODE only"
                            .formatted(value(request, "labelSelector"), fields));
        }
        boolean initial = isTrue(request, "sendInitialEvents");
        boolean bookmarks = isTrue(request, "allowWatchBookmarks");
        if (initial && !(bookmarks && value(request, "resourceVersionMatch").equals("NotOlderThan"))) {
            throw new IllegalArgumentException(
                    "sendInitialEvents needs resourceVersionMatch=NotOlderThan and allowWatchBookmarks=true");
        }
        OptionalLong version = version(value(request, "resourceVersion"));
        return new WatchQuery(
                node.isEmpty() ? Optional.empty() : Optional.of(node), version, bookmarks, initial, timeout(request));
    }

    private static OptionalLong version(String text) {
        return text.isEmpty() || text.equals("0")
                ? OptionalLong.empty()
                : OptionalLong.of(number("resourceVersion", text));
    }

    private static Duration timeout(Request request) {
        String text = value(request, "timeoutSeconds");
        long seconds = text.isEmpty() ? 0 : number("timeoutSeconds", text);
        return seconds < 1 || seconds > LONGEST.toSeconds() ? LONGEST : Duration.ofSeconds(seconds);
    }

    private static long number(String key, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number: %s=%s".formatted(key, text), e);
        }
    }
}
