package io.numaledger.bridge.replica;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A verb that the leader answers; other replicas pass the request on to it. While no replica leads, a request waits for some time, or is
 * answered here.
 */
public final class LeaderRoute implements Route {

    private static final Logger log = LoggerFactory.getLogger(LeaderRoute.class);

    /** kube-scheduler waits for ten seconds. */
    private static final Duration LONGEST = Duration.ofSeconds(4);

    private static final Duration FORWARD = Duration.ofSeconds(8);
    private static final Duration POLL = Duration.ofMillis(50);

    /** The replica that was asked does not lead. */
    private static final int MISDIRECTED = 421;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Leadership leadership;
    private final String path;
    private final Route local;
    private final Predicate<Request> fromReplica;
    private final Predicate<Request> needsLeader;
    private final HttpClient http;

    /**
     * A route.
     *
     * @param path of the verb, such as {@code /bind}
     * @param local answers here
     * @param fromReplica whether another replica passes a request on
     * @param needsLeader whether no other replica can answer a request; asked only while the leader cannot be reached
     * @param client believes other replicas, and is believed by them
     */
    public LeaderRoute(
            Leadership leadership,
            String path,
            Route local,
            Predicate<Request> fromReplica,
            Predicate<Request> needsLeader,
            SSLContext client) {
        this.needsLeader = needsLeader;
        this.leadership = leadership;
        this.path = path;
        this.local = local;
        this.fromReplica = fromReplica;
        this.http = HttpClient.newBuilder()
                .sslContext(client)
                .connectTimeout(Duration.ofSeconds(1))
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    @Override
    public Answer answer(Request request) throws IOException {
        long begun = System.nanoTime();
        while (true) {
            Optional<Answer> here = leadership.ifLeading(() -> local.answer(request));
            if (here.isPresent()) {
                return here.get();
            }
            if (fromReplica.test(request)) {
                return Answer.text(MISDIRECTED, "this replica does not lead");
            }
            Optional<String> leader = leadership.leaderAddress();
            Optional<Answer> there = leader.isPresent() ? forwarded(leader.get(), request) : Optional.empty();
            if (there.isPresent()) {
                return there.get();
            }
            if (!needsLeader.test(request)) {
                return local.answer(request);
            }
            if (System.nanoTime() - begun > LONGEST.toNanos()) {
                return error("no replica of the bridge leads; the scheduler will retry the pod");
            }
            pause();
        }
    }

    /** The answer of the leader; absent if it does not lead any more, or cannot be reached. */
    private Optional<Answer> forwarded(String leader, Request request) {
        HttpRequest forward = HttpRequest.newBuilder(URI.create("https://%s%s".formatted(leader, path)))
                .timeout(FORWARD)
                .POST(HttpRequest.BodyPublishers.ofByteArray(request.body()))
                .build();
        try {
            HttpResponse<byte[]> answer = http.send(forward, HttpResponse.BodyHandlers.ofByteArray());
            return answer.statusCode() == MISDIRECTED
                    ? Optional.empty()
                    : Optional.of(new Answer(answer.statusCode(), "application/json", answer.body()));
        } catch (HttpTimeoutException e) {
            return needsLeader.test(request)
                    ? Optional.of(error(
                            "the leading replica gave no answer in time: address=%s; the scheduler will retry the pod"
                                    .formatted(leader)))
                    : Optional.empty();
        } catch (IOException e) {
            // It has ended, perhaps after a bind: to repeat a call does no harm.
            log.debug("event=request.not_forwarded path={} leader={} error=\"{}\"", path, leader, e.getMessage());
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(error("interrupted; the scheduler will retry the pod"));
        }
    }

    private static Answer error(String message) {
        return Answer.json(
                JSON.createObjectNode().put("Error", message).toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while no replica leads", e);
        }
    }
}
