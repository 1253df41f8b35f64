package io.numaledger.simulator.apiserver;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;

/** Finds who answers a request, and whether its user may have the answer. */
final class Router {

    private final ResourceCatalog catalog;
    private final ObjectStore store;
    private final Discovery discovery;
    private final AccessReviews access;
    private final ReadVerbs reads;
    private final WriteVerbs writes;
    private final DeleteVerbs deletions;
    private final PodSubresources pods;
    private final TokenRequests tokens;
    private final Duration bookmarkPeriod;

    Router(ObjectStore store, ResourceCatalog catalog, AccessRules rules, ApiServerSettings settings) {
        InstantSource clock = settings.clock();
        this.store = store;
        this.catalog = catalog;
        this.bookmarkPeriod = settings.bookmarkPeriod();
        this.discovery = new Discovery(catalog);
        this.access = new AccessReviews(rules);
        this.reads = new ReadVerbs(store);
        this.writes = new WriteVerbs(store, catalog, clock);
        this.deletions = new DeleteVerbs(store, catalog, clock);
        this.pods = new PodSubresources(store, deletions, clock);
        this.tokens = new TokenRequests(store, clock);
    }

    /**
     * @param cutAfter the number of events after which a watch is cut; empty for a whole one
     * @throws ApiError if the request is refused
     */
    Answer answer(RecordedRequest request, OptionalInt cutAfter) {
        if (request.path().equals(AccessReviews.PATH) && request.method().equals("POST")) {
            return access.review(request);
        }
        Optional<Target> target = Target.parse(request.path(), catalog);
        if (target.isPresent()) {
            return onResource(target.get(), request, cutAfter);
        }
        Answer found = discovery.answer(request.path()).orElseThrow(ApiError::unknownPath);
        if (!request.method().equals("GET")) {
            throw ApiError.methodNotAllowed();
        }
        return found;
    }

    private Answer onResource(Target target, RecordedRequest request, OptionalInt cutAfter) {
        String verb = verb(target, request);
        access.check(target, request, verb);
        return switch (verb) {
            case "get" -> reads.get(target, request);
            case "list" -> reads.list(target, request);
            case "watch" -> watch(target, request, cutAfter);
            case "create" -> create(target, request);
            case "update" -> writes.update(target, request);
            case "patch" -> writes.patch(target, request);
            case "delete" -> deletions.delete(target, request);
            case "deletecollection" -> deletions.deleteCollection(target, request);
            default -> throw ApiError.methodNotAllowed();
        };
    }

    private Answer create(Target target, RecordedRequest request) {
        return switch (target.subresource()) {
            case "" -> writes.create(target, request);
            case "binding" -> pods.bind(target, request);
            case "eviction" -> pods.evict(target, request);
            case "token" -> tokens.create(target, request);
            default -> throw ApiError.methodNotAllowed();
        };
    }

    private Answer watch(Target target, RecordedRequest request, OptionalInt cutAfter) {
        WatchOptions options = WatchOptions.of(target, request, bookmarkPeriod);
        return new Answer.Stream(new WatchStream(store, options, new WatchCut(store, cutAfter)));
    }

    /** The verb of Kubernetes for a method of HTTP; a method that the target does not have is refused. */
    private static String verb(Target target, RecordedRequest request) {
        boolean collection = target.isCollection();
        boolean action =
                !target.subresource().isEmpty() && !target.subresource().equals("status");
        boolean whole = target.subresource().isEmpty();
        boolean creatable =
                collection ? !target.type().namespaced() || !target.namespace().isEmpty() : action;
        String verb = switch (request.method()) {
            case "GET" -> readVerb(collection, request);
            case "POST" -> creatable ? "create" : "";
            case "PUT" -> collection ? "" : "update";
            case "PATCH" -> collection ? "" : "patch";
            case "DELETE" -> collection ? "deletecollection" : whole ? "delete" : "";
            default -> "";
        };
        if (verb.isEmpty() || (action && !verb.equals("create"))) {
            throw ApiError.methodNotAllowed();
        }
        return verb;
    }

    private static String readVerb(boolean collection, RecordedRequest request) {
        if (!collection) {
            return "get";
        }
        return request.isWatch() ? "watch" : "list";
    }
}
