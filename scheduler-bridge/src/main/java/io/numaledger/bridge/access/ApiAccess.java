package io.numaledger.bridge.access;

import io.numaledger.bridge.access.Reviews.Action;
import io.numaledger.bridge.holder.PodNames;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
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

    /** Answers a request of an authenticated caller; 401 for another one, and 503 if the API server says nothing about it. */
    public Answer answer(Request request, Body body) {
        try {
            Optional<Caller> caller = caller(request);
            return caller.isPresent()
                    ? body.of(caller.get())
                    : Answer.text(
                            401,
                            "not authenticated; send a valid token of this cluster in the header Authorization: Bearer TOKEN");
        } catch (IOException | UncheckedIOException e) {
            log.warn("event=access.unknown error=\"{}\"", e.getMessage());
            return Answer.text(503, "cannot check your rights: %s".formatted(e.getMessage()));
        }
    }

    private Optional<Caller> caller(Request request) throws IOException {
        Optional<Caller> passedOn = frontProxy.flatMap(proxy -> proxy.caller(request));
        String authorization =
                Optional.ofNullable(request.headers().get("Authorization")).orElse("");
        return passedOn.isPresent() || !authorization.startsWith(BEARER)
                ? passedOn
                : reviews.caller(authorization.substring(BEARER.length()).strip());
    }

    /** @param namespace empty for nodes */
    public static Action action(String verb, String resource, String namespace, String name) {
        return new Action(verb, GROUP, resource, namespace, name);
    }

    /**
     * Why the caller may not do this, in the words of kube-apiserver; absent if it may.
     *
     * @throws IOException if the API server gives no answer
     */
    public Optional<String> forbidden(Caller caller, Action action) throws IOException {
        if (reviews.allows(caller, action)) {
            return Optional.empty();
        }
        return Optional.of("User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s"
                .formatted(
                        caller.name(),
                        action.verb(),
                        action.resource(),
                        action.group(),
                        action.namespace().isEmpty()
                                ? "at the cluster scope"
                                : "in the namespace \"%s\"".formatted(action.namespace())));
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
