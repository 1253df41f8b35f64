package io.numaledger.apiservers.fake.http;

import io.numaledger.apiservers.fake.discovery.Discovery;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.storage.ObjectStore;
import io.numaledger.apiservers.fake.verbs.DeleteVerbs;
import io.numaledger.apiservers.fake.verbs.PodSubresources;
import io.numaledger.apiservers.fake.verbs.ReadVerbs;
import io.numaledger.apiservers.fake.verbs.WriteVerbs;
import io.numaledger.apiservers.fake.watch.WatchCut;
import io.numaledger.apiservers.fake.watch.WatchOptions;
import io.numaledger.apiservers.fake.watch.WatchStream;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;

/** Passes a request to the verb that handles it. */
public final class Router {

    private final ObjectStore store;
    private final ReadVerbs reads;
    private final WriteVerbs writes;
    private final DeleteVerbs deletions;
    private final PodSubresources pods;
    private final Duration bookmarkPeriod;

    public Router(ObjectStore store, InstantSource clock, Duration bookmarkPeriod) {
        this.store = store;
        this.bookmarkPeriod = bookmarkPeriod;
        this.reads = new ReadVerbs(store);
        this.writes = new WriteVerbs(store, clock);
        this.deletions = new DeleteVerbs(store, clock);
        this.pods = new PodSubresources(store, deletions, clock);
    }

    /**
     * @param cutAfter the number of events after which a watch is cut; empty for no cut
     * @throws ApiError if the request is refused
     */
    Response answer(RecordedRequest request, OptionalInt cutAfter) {
        Optional<Target> target = Target.parse(request.path());
        if (target.isPresent()) {
            return onResource(target.get(), request, cutAfter);
        }
        Response found = Discovery.answer(request.path()).orElseThrow(ApiError::unknownPath);
        if (!request.method().equals("GET")) {
            throw ApiError.methodNotAllowed();
        }
        return found;
    }

    private Response onResource(Target target, RecordedRequest request, OptionalInt cutAfter) {
        return switch (verb(target, request)) {
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

    private Response create(Target target, RecordedRequest request) {
        return switch (target.subresource()) {
            case "" -> writes.create(target, request);
            case "binding" -> pods.bind(target, request);
            case "eviction" -> pods.evict(target, request);
            default -> throw ApiError.methodNotAllowed();
        };
    }

    private Response watch(Target target, RecordedRequest request, OptionalInt cutAfter) {
        WatchOptions options = WatchOptions.of(target, request, bookmarkPeriod);
        return new Response.Stream(new WatchStream(store, options, new WatchCut(store, cutAfter)));
    }

    /** The Kubernetes verb of the HTTP method. */
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
