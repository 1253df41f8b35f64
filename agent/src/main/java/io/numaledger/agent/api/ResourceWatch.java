package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Follows one collection: one list, then a watch with bookmarks that is renewed from where it ended. A thread of its own, a
 * daemon, so that it never keeps the process alive.
 *
 * <table>
 * <caption>what happens to the watch</caption>
 * <tr><th>event</th><th>then</th></tr>
 * <tr><td>the stream ends, in time or broken</td><td>watch on from the last version</td></tr>
 * <tr><td>no event and no bookmark for {@link #SILENCE}</td><td>cut, watch on from the last version</td></tr>
 * <tr><td>410: the version is too old</td><td>list again</td></tr>
 * <tr><td>403 to the watch, directly after a list</td><td>stop: {@link #refused()}</td></tr>
 * <tr><td>403 to a later watch</td><td>list again: an API server that starts denies everything until it has read the roles</td></tr>
 * <tr><td>any other failure</td><td>retry with back-off and jitter, or after the Retry-After of the server</td></tr>
 * </table>
 */
final class ResourceWatch<T> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ResourceWatch.class);

    /** The API server sends a bookmark about once a minute. */
    static final Duration SILENCE = Duration.ofSeconds(130);

    private static final Duration FIRST_WAIT = Duration.ofMillis(200);
    /** The longest back-off; with jitter, up to twice as long. After an outage of the API server, schedulers wait for what agents observe. */
    private static final Duration MAX_BACK_OFF = Duration.ofSeconds(2);

    private static final int SECONDS_OF_A_WATCH = 600;

    /**
     * What to follow.
     *
     * @param listed false: the watch itself begins with the objects that there are, which needs no right to list
     */
    record Followed<T>(String path, String selector, ObjectReader<T> reader, boolean listed) {

        Followed(String path, String selector, ObjectReader<T> reader) {
            this(path, selector, reader, true);
        }
    }

    /** Reads what we need of one object; the parser stands at its start and is left at its end. */
    interface ObjectReader<T> {
        Watched<T> read(JsonParser json) throws IOException;
    }

    private final ApiServer api;
    private final Followed<T> followed;
    private final WatchedCollection<T> collection;
    private final Runnable onRefused;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition stopping = lock.newCondition();
    private volatile boolean stopped;
    private volatile boolean refused;
    private volatile @Nullable InputStream open;
    private volatile long lastEventAt;
    private volatile boolean failing;
    private Duration wait = FIRST_WAIT;

    ResourceWatch(ApiServer api, Followed<T> followed, WatchedCollection<T> collection, Runnable onRefused) {
        this.api = api;
        this.followed = followed;
        this.collection = collection;
        this.onRefused = onRefused;
        this.thread = new Thread(this::follow, "watch" + followed.path().replace('/', '-'));
        this.thread.setDaemon(true);
    }

    void start() {
        lastEventAt = System.nanoTime();
        thread.start();
    }

    /** True after the API server has denied the watch. */
    boolean refused() {
        return refused;
    }

    /** True while neither list nor watch can be had. */
    boolean failing() {
        return failing;
    }

    /** Cuts a stream that has been silent for too long; to be called from time to time. */
    void cutIfSilent() {
        InputStream stream = open;
        if (stream != null && System.nanoTime() - lastEventAt > SILENCE.toNanos()) {
            close(stream);
        }
    }

    private void follow() {
        String version = "";
        boolean fresh = false;
        while (!stopped) {
            boolean listing = version.isEmpty();
            try {
                if (listing) {
                    version = list(fresh);
                }
                version = watch(version);
                worksAgain();
            } catch (ApiException e) {
                if (e.status() == 410) {
                    version = "";
                    fresh = true;
                } else if (e.status() == 403 && !version.isEmpty() && listing) {
                    refused = true;
                    onRefused.run();
                    return;
                } else if (e.status() == 403 && !version.isEmpty()) {
                    version = "";
                    fresh = true;
                    failed(e, e.retryAfter());
                } else {
                    failed(e, e.retryAfter());
                }
            } catch (IOException
                    | RuntimeException
                    | Error e) { // the thread goes on: nothing else would tell what changes
                failed(e, Optional.empty());
            }
        }
    }

    private String list(boolean fresh) throws IOException {
        if (!followed.listed()) {
            return "0";
        }
        String query = followed.selector() + (fresh ? "" : "&resourceVersion=0");
        List<Watched<T>> objects = new ArrayList<>();
        String version = api.get(followed.path() + "?" + query, json -> readList(json, followed.reader(), objects));
        collection.replaceAll(objects);
        return version;
    }

    /** Reads a list object; returns its resourceVersion. */
    static <T> String readList(JsonParser json, ObjectReader<T> reader, List<Watched<T>> into) throws IOException {
        String version = "";
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            if (field.equals("metadata")) {
                version = readVersion(json);
            } else if (field.equals("items") && json.currentToken() == JsonToken.START_ARRAY) {
                while (json.nextToken() == JsonToken.START_OBJECT) {
                    into.add(reader.read(json));
                }
            } else {
                json.skipChildren();
            }
        }
        return version;
    }

    private static String readVersion(JsonParser json) throws IOException {
        String version = "";
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean wanted = json.currentName().equals("resourceVersion");
            json.nextToken();
            if (wanted) {
                version = json.getText();
            } else {
                json.skipChildren();
            }
        }
        return version;
    }

    /** Reads events until the stream ends; returns the version to go on from. */
    private String watch(String from) throws IOException {
        int seconds = SECONDS_OF_A_WATCH / 2 + ThreadLocalRandom.current().nextInt(SECONDS_OF_A_WATCH / 2);
        String query = "%s&watch=1&allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=%s"
                .formatted(followed.selector(), seconds, from);
        String version = from;
        lastEventAt = System.nanoTime();
        try (InputStream stream = api.stream(followed.path() + "?" + query);
                JsonParser json = ApiServer.JSON.createParser(stream)) {
            open = stream;
            worksAgain();
            while (!stopped && json.nextToken() == JsonToken.START_OBJECT) {
                lastEventAt = System.nanoTime();
                version = readEvent(json, version);
            }
        } catch (ApiException e) {
            throw e;
        } catch (IOException e) {
            // A stream that breaks half-way is taken up again where it was; only its opening can fail for good.
            if (open == null) {
                throw e;
            }
            pause(FIRST_WAIT);
        } finally {
            open = null;
        }
        return version;
    }

    private String readEvent(JsonParser json, String version) throws IOException {
        String type = "";
        String next = version;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            if (field.equals("type")) {
                type = json.getText();
            } else if (field.equals("object") && type.equals("ERROR")) {
                throw WatchError.read(json);
            } else if (field.equals("object")) {
                next = enter(type, followed.reader().read(json));
            } else {
                json.skipChildren();
            }
        }
        return next;
    }

    private String enter(String type, Watched<T> object) {
        switch (type) {
            case "ADDED", "MODIFIED" -> collection.put(object);
            case "DELETED" -> collection.remove(object);
            default -> {
                // BOOKMARK carries nothing but the version.
            }
        }
        return object.resourceVersion();
    }

    private void worksAgain() {
        wait = FIRST_WAIT;
        if (failing) {
            failing = false;
            log.info("event=watch.resumed path={}", followed.path());
        }
    }

    private void failed(Throwable e, Optional<Duration> asked) {
        if (stopped) {
            return;
        }
        if (!failing) {
            failing = true;
            log.warn(
                    "event=watch.failed path={} reason='{}'", followed.path(), e instanceof Error ? e : e.getMessage());
        }
        Duration jittered = wait.plusMillis(ThreadLocalRandom.current().nextLong(wait.toMillis() + 1));
        pause(asked.filter(time -> time.compareTo(jittered) > 0).orElse(jittered));
        wait = wait.multipliedBy(2).compareTo(MAX_BACK_OFF) > 0 ? MAX_BACK_OFF : wait.multipliedBy(2);
    }

    private void pause(Duration time) {
        lock.lock();
        try {
            long left = time.toNanos();
            while (!stopped && left > 0) {
                left = stopping.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            stopped = true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        stopped = true;
        lock.lock();
        try {
            stopping.signalAll();
        } finally {
            lock.unlock();
        }
        InputStream stream = open;
        if (stream != null) {
            close(stream);
        }
    }

    private static void close(InputStream stream) {
        try {
            stream.close();
        } catch (IOException e) {
            log.debug("event=watch.close reason='{}'", e.getMessage());
        }
    }
}
