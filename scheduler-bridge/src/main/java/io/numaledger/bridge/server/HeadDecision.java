package io.numaledger.bridge.server;

import io.numaledger.bridge.server.BridgeServer.Answer;

import java.io.IOException;
import java.util.Optional;

/** Whether the body of a request is read, decided when its head has arrived. */
public sealed interface HeadDecision {

    HeadDecision ACCEPTED = new Accepted();

    /** The body is read. */
    record Accepted() implements HeadDecision {}

    /** The answer is sent, and the connection is closed. */
    record Refused(Answer answer) implements HeadDecision {}

    /** Somebody else must be asked, on the route's threads. */
    record Undecided(Review review) implements HeadDecision {}

    /** Asks others, and may wait for them. */
    @FunctionalInterface
    interface Review {

        /** The answer to a request that is refused; absent if its body is read. */
        Optional<Answer> refusal() throws IOException;
    }

    /** Refuses with this answer, if there is one. */
    static HeadDecision of(Optional<Answer> refusal) {
        return refusal.<HeadDecision>map(Refused::new).orElse(ACCEPTED);
    }
}
