package io.numaledger.bridge.access;

import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.bridge.access.Reviews.Action;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.HeadDecision;
import io.numaledger.bridge.server.HeadDecision.Refused;
import io.numaledger.bridge.server.HeadDecision.Undecided;
import io.numaledger.evaluation.holder.PodNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Authorises the users of the aggregated API. The API server has authenticated them, and names them in the headers of what it passes on. */
public final class ApiAccess {

    private static final Logger log = LoggerFactory.getLogger(ApiAccess.class);
    private static final Answer NOT_AUTHENTICATED =
            Answer.text(401, "not authenticated: only the API server may call this; call it through the API server");

    private final Reviews reviews;
    private final FrontProxy frontProxy;

    public ApiAccess(Reviews reviews, FrontProxy frontProxy) {
        this.reviews = reviews;
        this.frontProxy = frontProxy;
    }

    /** What an authenticated caller gets. */
    @FunctionalInterface
    public interface Body {
        Answer of(Caller caller) throws IOException;
    }

    /**
     * Decides by the head of a request. Who is not the API server gets 401 at once. What its user may do, the API server is asked.
     *
     * @param wanted what the head says that the caller wants to do
     */
    public HeadDecision decide(Request head, Action wanted) {
        Optional<Caller> caller = frontProxy.caller(head);
        return caller.isPresent() ? new Undecided(() -> refusal(caller.get(), wanted)) : new Refused(NOT_AUTHENTICATED);
    }

    private Optional<Answer> refusal(Caller caller, Action wanted) {
        try {
            return forbidden(caller, wanted);
        } catch (IOException e) {
            return Optional.of(unknown(e));
        }
    }

    /** Answers a request of a caller that may do this; 401 or 403 for another one, and 503 if the API server says nothing about it. */
    public Answer answer(Request request, Action wanted, Body body) {
        try {
            Optional<Caller> caller = frontProxy.caller(request);
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

    /** @param namespace empty for nodes */
    public static Action action(String verb, String resource, String namespace, String name) {
        return new Action(verb, ApiGroup.NAME, resource, namespace, name);
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

    /** The pods that a lasting answer to this caller may name: decided once for each namespace, and equal for all callers who may list all pods. */
    public PodNames lastingPodNames(Caller caller) throws IOException {
        if (reviews.allows(caller, new Action("list", "", "pods", "", ""))) {
            return PodNames.ALL;
        }
        Map<String, Boolean> decided = new ConcurrentHashMap<>();
        PodNames now = podNames(caller);
        return new PodNames(namespace -> decided.computeIfAbsent(namespace, now.namespaces()::test));
    }
}
