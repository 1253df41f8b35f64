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
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A verb that the leader answers; other replicas pass the request on to it. While no replica leads, a request waits for some time, or is
 * answered here. A request is decoded at most once, and not where it is passed on.
 */
public final class LeaderRoute implements Route {

    private static final Logger log = LoggerFactory.getLogger(LeaderRoute.class);

    /** kube-scheduler waits for ten seconds. */
    private static final Duration TIMEOUT = Duration.ofSeconds(4);

    private static final Duration FORWARD = Duration.ofSeconds(8);
    private static final Duration POLL = Duration.ofMillis(50);

    /** The replica that was asked does not lead. */
    private static final int MISDIRECTED = 421;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Leadership leadership;
    private final String path;
    private final Function<Request, Call> decoder;
    private final Predicate<Request> fromReplica;
    private final HttpClient http;

    /**
     * A decoded request.
     *
     * @param needsLeader whether no other replica can answer it
     * @param local answers it here
     */
    public record Call(boolean needsLeader, Route local) {}

    /**
     * A route.
     *
     * @param path of the verb, such as {@code /bind}
     * @param decoder of requests
     * @param fromReplica whether another replica passes a request on
     * @param client believes other replicas, and is believed by them
     */
    public LeaderRoute(
            Leadership leadership,
            String path,
            Function<Request, Call> decoder,
            Predicate<Request> fromReplica,
            SSLContext client) {
        this.leadership = leadership;
        this.path = path;
        this.decoder = decoder;
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
        Decoded decoded = new Decoded(request);
        while (true) {
            Optional<Answer> here = leadership.ifLeading(decoded::answer);
            if (here.isPresent()) {
                return here.get();
            }
            if (fromReplica.test(request)) {
                return Answer.text(MISDIRECTED, "this replica does not lead");
            }
            Optional<String> leader = leadership.leaderAddress();
            Optional<Answer> there = leader.isPresent() ? forwarded(leader.get(), decoded) : Optional.empty();
            if (there.isPresent()) {
                return there.get();
            }
            if (!decoded.needsLeader()) {
                return decoded.answer();
            }
            if (System.nanoTime() - begun > TIMEOUT.toNanos()) {
                return error("no replica of the bridge leads; the scheduler will retry the pod");
            }
            pause();
        }
    }

    /** A request that is decoded when that is needed for the first time. */
    private final class Decoded {

        private final Request request;
        private Optional<Call> call = Optional.empty();

        Decoded(Request request) {
            this.request = request;
        }

        private Call call() {
            if (call.isEmpty()) {
                call = Optional.of(decoder.apply(request));
            }
            return call.get();
        }

        boolean needsLeader() {
            return call().needsLeader();
        }

        Answer answer() throws IOException {
            return call().local().answer(request);
        }
    }

    /** The answer of the leader; absent if it does not lead any more, or cannot be reached. */
    private Optional<Answer> forwarded(String leader, Decoded decoded) {
        HttpRequest forward = HttpRequest.newBuilder(URI.create("https://%s%s".formatted(leader, path)))
                .timeout(FORWARD)
                .POST(HttpRequest.BodyPublishers.ofByteArray(decoded.request.body()))
                .build();
        try {
            HttpResponse<byte[]> answer = http.send(forward, HttpResponse.BodyHandlers.ofByteArray());
            return answer.statusCode() == MISDIRECTED
                    ? Optional.empty()
                    : Optional.of(new Answer(answer.statusCode(), "application/json", answer.body()));
        } catch (HttpTimeoutException e) {
            return decoded.needsLeader()
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
