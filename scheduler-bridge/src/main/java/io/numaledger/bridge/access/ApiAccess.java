package io.numaledger.bridge.access;

import io.numaledger.bridge.access.Reviews.Action;
import io.numaledger.bridge.holder.PodNames;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.HeadDecision;
import io.numaledger.bridge.server.HeadDecision.Refused;
import io.numaledger.bridge.server.HeadDecision.Undecided;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Authenticates and authorises the users of the bridge's API: by the API server's headers, or by a bearer token. */
public final class ApiAccess {

    /** API group of the resources that roles name. */
    public static final String GROUP = "numaledger.io";

    public static final String NODES = "numanodes";
    public static final String EXPLANATIONS = "explanations";

    private static final Logger log = LoggerFactory.getLogger(ApiAccess.class);
    private static final String BEARER = "Bearer ";
    private static final Answer NOT_AUTHENTICATED = Answer.text(
            401, "not authenticated; send a valid token of this cluster in the header Authorization: Bearer TOKEN");

    private final Reviews reviews;
    private final Optional<FrontProxy> frontProxy;

    /** @param frontProxy absent: the API server passes no requests on */
    public ApiAccess(Reviews reviews, Optional<FrontProxy> frontProxy) {
        this.reviews = reviews;
        this.frontProxy = frontProxy;
    }

    /** What an authenticated caller gets. */
    @FunctionalInterface
    public interface Body {
        Answer of(Caller caller) throws IOException;
    }

    /**
     * Decides by the head of a request. Callers without credentials get 401 at once. For others, the API server is asked.
     *
     * @param wanted what the head says that the caller wants to do
     */
    public HeadDecision decide(Request head, Optional<Action> wanted) {
        return token(head).isPresent() || passedOn(head).isPresent()
                ? new Undecided(() -> refusal(head, wanted))
                : new Refused(NOT_AUTHENTICATED);
    }

    private Optional<Answer> refusal(Request head, Optional<Action> wanted) {
        try {
            Optional<Caller> caller = caller(head);
            if (caller.isEmpty()) {
                return Optional.of(NOT_AUTHENTICATED);
            }
            return wanted.isPresent() ? forbidden(caller.get(), wanted.get()) : Optional.empty();
        } catch (IOException e) {
            return Optional.of(unknown(e));
        }
    }

    /** Answers a request of a caller that may do this; 401 or 403 for another one, and 503 if the API server says nothing about it. */
    public Answer answer(Request request, Action wanted, Body body) {
        try {
            Optional<Caller> caller = caller(request);
            if (caller.isEmpty()) {
                return NOT_AUTHENTICATED;
            }
            Optional<Answer> forbidden = forbidden(caller.get(), wanted);
            return forbidden.isPresent() ? forbidden.get() : body.of(caller.get());
        } catch (IOException | UncheckedIOException e) {
            return unknown(e);
        }
    }

    private static Answer unknown(Exception e) {
        log.warn("event=access.unknown error=\"{}\"", e.getMessage());
        return Answer.text(503, "cannot check your rights: %s".formatted(e.getMessage()));
    }

    private Optional<Caller> caller(Request request) throws IOException {
        Optional<Caller> passedOn = passedOn(request);
        Optional<String> token = token(request);
        return passedOn.isPresent() || token.isEmpty() ? passedOn : reviews.caller(token.get());
    }

    private Optional<Caller> passedOn(Request request) {
        return frontProxy.flatMap(proxy -> proxy.caller(request));
    }

    private static Optional<String> token(Request request) {
        return Optional.ofNullable(request.headers().get("Authorization"))
                .filter(header -> header.startsWith(BEARER))
                .map(header -> header.substring(BEARER.length()).strip());
    }

    /** @param namespace empty for nodes */
    public static Action action(String verb, String resource, String namespace, String name) {
        return new Action(verb, GROUP, resource, namespace, name);
    }

    /** 403 in the words of kube-apiserver; absent if the caller may do this. */
    private Optional<Answer> forbidden(Caller caller, Action action) throws IOException {
        if (reviews.allows(caller, action)) {
            return Optional.empty();
        }
        return Optional.of(Answer.text(
                403,
                "User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s"
                        .formatted(
                                caller.name(),
                                action.verb(),
                                action.resource(),
                                action.group(),
                                action.namespace().isEmpty()
                                        ? "at the cluster scope"
                                        : "in the namespace \"%s\"".formatted(action.namespace()))));
    }

    /** The pods that answers to this caller may name: those of namespaces where it may list pods. Throws UncheckedIOException. */
    public PodNames podNames(Caller caller) {
        return new PodNames(namespace -> {
            try {
                return reviews.allows(caller, new Action("list", "", "pods", "", ""))
                        || reviews.allows(caller, new Action("list", "", "pods", namespace, ""));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
