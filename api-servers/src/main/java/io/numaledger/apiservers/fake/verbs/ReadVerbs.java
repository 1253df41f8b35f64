package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.request.QueryParameters;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.selection.Selection;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.storage.ObjectStore;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/** The verbs get and list. */
public final class ReadVerbs {

    /** How long kube-apiserver waits for a resource version that it has not reached yet. */
    private static final Duration FUTURE_VERSION_TIMEOUT = Duration.ofSeconds(3);

    private final ObjectStore store;

    public ReadVerbs(ObjectStore store) {
        this.store = store;
    }

    public Response get(Target target, RecordedRequest request) {
        ObjectNode object = store.get(target.key()).orElseThrow(() -> ApiError.notFound(target.type(), target.name()));
        return Response.Json.ok(object);
    }

    public Response list(Target target, RecordedRequest request) {
        Selection selection = Selection.of(target, request);
        OptionalLong version = QueryParameters.resourceVersion(request);
        Optional<ContinueToken> token = request.parameter("continue").map(ContinueToken::parse);
        long limit = QueryParameters.number(request, "limit").orElse(0);
        boolean fromCache = version.isPresent() && version.getAsLong() == 0;
        Page page = new Page(selection, token, fromCache && token.isEmpty() ? 0 : limit);
        return Response.Json.ok(page.of(listing(target.type(), version, token, request), target.type()));
    }

    private ObjectStore.Listing listing(
            ResourceType type, OptionalLong version, Optional<ContinueToken> token, RecordedRequest request) {
        Optional<String> match = QueryParameters.versionMatch(request);
        awaitVersion(version.orElse(0));
        if (token.isPresent()) {
            return continued(type, token.get());
        }
        boolean exact = match.isPresent() && match.get().equals("Exact");
        return exact ? store.listAt(type, version.orElseThrow()) : store.list(type);
    }

    private ObjectStore.Listing continued(ResourceType type, ContinueToken token) {
        try {
            return store.listAt(type, token.revision());
        } catch (ApiError expired) {
            throw ApiError.expired("The provided continue parameter is too old to display a consistent list result."
                    + " You can start a new list without the continue parameter.");
        }
    }

    private void awaitVersion(long version) {
        try {
            if (!store.awaitRevision(version, FUTURE_VERSION_TIMEOUT)) {
                throw ApiError.resourceVersionTooLarge(version, store.revision());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiError.of(503, "ServiceUnavailable", "the server is stopping; retry later");
        }
    }

    /** One page of a list; 0 means no limit. */
    private record Page(Selection selection, Optional<ContinueToken> token, long limit) {

        ObjectNode of(ObjectStore.Listing listing, ResourceType type) {
            ArrayNode items = JsonNodeFactory.instance.arrayNode();
            String last = "";
            long remaining = 0;
            for (Map.Entry<String, ObjectNode> each : rest(listing.objects()).entrySet()) {
                if (selection.matches(each.getValue())) {
                    if (limit > 0 && items.size() == limit) {
                        remaining++;
                    } else {
                        items.add(type.item(each.getValue()));
                        last = each.getKey();
                    }
                }
            }
            ObjectNode list = type.emptyList();
            ObjectNode metadata = list.putObject("metadata").put("resourceVersion", Long.toString(listing.revision()));
            if (remaining > 0) {
                metadata.put("continue", new ContinueToken(listing.revision(), last).text());
                if (!selection.hasSelectors()) {
                    metadata.put("remainingItemCount", remaining);
                }
            }
            list.set("items", items);
            return list;
        }

        private SortedMap<String, ObjectNode> rest(SortedMap<String, ObjectNode> objects) {
            // The path with a NUL appended is the smallest path after it.
            return token.map(each -> objects.tailMap(each.after() + "\0")).orElse(objects);
        }
    }
}
