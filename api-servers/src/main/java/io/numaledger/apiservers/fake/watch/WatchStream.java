package io.numaledger.apiservers.fake.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.storage.Change;
import io.numaledger.apiservers.fake.storage.ObjectStore;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;

/**
 * The events of one watch, one JSON line per event. A watch ends at its timeout, when the history that it needs is
 * discarded, or when a fault cuts it. An object that begins to match the selectors is added, one that no longer
 * matches is deleted.
 */
public final class WatchStream implements Response.Events {

    private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

    private final ObjectStore store;
    private final WatchOptions options;
    private final WatchCut cut;
    private OutputStream out = OutputStream.nullOutputStream();

    public WatchStream(ObjectStore store, WatchOptions options, WatchCut cut) {
        this.store = store;
        this.options = options;
        this.cut = cut;
    }

    @Override
    public void writeTo(OutputStream target) throws IOException, InterruptedException {
        out = target;
        try {
            follow(initialEvents());
        } catch (ApiError e) {
            event("ERROR", e.toStatus());
        }
    }

    /** Sends the initial events, and returns the revision after which changes follow. */
    private long initialEvents() throws IOException {
        if (!options.initialEvents()) {
            return options.since().orElseGet(store::revision);
        }
        ObjectStore.Listing listing = store.list(options.type());
        for (ObjectNode object : listing.objects().values()) {
            if (options.selection().matches(object)) {
                event("ADDED", object);
            }
        }
        if (options.bookmarks()) {
            ObjectNode bookmark = options.type().bookmark(listing.revision());
            bookmark.withObjectProperty("metadata")
                    .withObjectProperty("annotations")
                    .put(INITIAL_EVENTS_END, "true");
            event("BOOKMARK", bookmark);
        }
        return listing.revision();
    }

    private void follow(long from) throws IOException, InterruptedException {
        long since = from;
        long end = System.nanoTime() + options.timeout().toNanos();
        long nextBookmark = System.nanoTime() + options.bookmarkPeriod().toNanos();
        while (System.nanoTime() < end) {
            long wait = Math.min(end, nextBookmark) - System.nanoTime();
            ObjectStore.Changes latest =
                    store.changesAfter(options.type(), since, cut.cutsBefore(), Duration.ofNanos(Math.max(0, wait)));
            cut.check();
            for (Change change : latest.changes()) {
                send(change);
            }
            since = latest.revision();
            if (System.nanoTime() >= nextBookmark) {
                bookmark(since);
                nextBookmark = System.nanoTime() + options.bookmarkPeriod().toNanos();
            }
        }
    }

    private void bookmark(long revision) throws IOException {
        if (options.bookmarks()) {
            event("BOOKMARK", options.type().bookmark(revision));
        }
    }

    private void send(Change change) throws IOException {
        Optional<ObjectNode> before = change.before().filter(options.selection()::matches);
        Optional<ObjectNode> after = change.after().filter(options.selection()::matches);
        if (after.isPresent()) {
            event(before.isPresent() ? "MODIFIED" : "ADDED", after.get());
        } else if (before.isPresent()) {
            ObjectNode last = before.get().deepCopy();
            ObjectMeta.of(last).setResourceVersion(change.revision());
            event("DELETED", last);
        }
    }

    private void event(String type, JsonNode object) throws IOException {
        ObjectNode event = JsonText.object().put("type", type).set("object", object);
        out.write(JsonText.write(event));
        out.write('\n');
        out.flush();
        cut.sent();
    }
}
