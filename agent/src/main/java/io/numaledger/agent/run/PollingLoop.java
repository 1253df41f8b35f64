package io.numaledger.agent.run;

import io.numaledger.agent.api.Pods;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The loop of an agent without the right to watch pods, as with KAI's operator: it may get, list and patch. */
final class PollingLoop {

    private static final Logger log = LoggerFactory.getLogger(PollingLoop.class);

    private final NodeAgent agent;
    private final Pods pods;
    private final Signal signal;
    private final AgentLoop.Periods periods;
    private final InstantSource clock;
    private final Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));

    PollingLoop(NodeAgent agent, Pods pods, Signal signal, AgentLoop.Periods periods, InstantSource clock) {
        this.agent = agent;
        this.pods = pods;
        this.signal = signal;
        this.periods = periods;
        this.clock = clock;
    }

    void run() throws InterruptedException {
        boolean failing = false;
        while (true) {
            boolean drifts = periods.drift().compareTo(Duration.ZERO) > 0;
            Instant nextDrift = drifts ? clock.instant().plus(Backoff.early(periods.drift())) : Instant.MAX;
            try {
                agent.refresh();
                NodeAgent.Reconciliation result = AgentLoop.once(agent, pods);
                if (failing) {
                    failing = false;
                    log.info("event=poll.resumed");
                }
                if (result.errors().isEmpty()) {
                    backoff.succeeded();
                    boolean again = !result.settled() || result.notBefore().isPresent();
                    awaitChange(again ? clock.instant().plus(periods.poll()) : nextDrift);
                } else {
                    signal.await(backoff.failed());
                }
            } catch (IOException e) {
                if (!failing) {
                    failing = true;
                    log.warn("event=poll.failed reason='{}'", e.getMessage());
                }
                signal.await(backoff.failed());
            }
        }
    }

    /** Polls the kubelet until its answer changes or the time has come. */
    private void awaitChange(Instant until) throws InterruptedException {
        while (clock.instant().isBefore(until)) {
            signal.await(periods.poll());
            if (agent.kubeletChanged()) {
                return;
            }
        }
    }
}
