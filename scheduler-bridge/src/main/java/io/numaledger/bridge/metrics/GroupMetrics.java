package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.numaledger.scheduling.group.GroupListener.Outcome;

import java.util.Locale;

/** Groups of pods. */
public final class GroupMetrics {

    private final MeterProvider<Counter> plans;
    private final Counter membersNotBound;
    private final Counter givenUp;

    GroupMetrics(MeterRegistry registry) {
        this.plans = Counter.builder("numaledger_bridge_group_plans")
                .description("attempts to plan a group of pods, by outcome")
                .withRegistry(registry);
        this.membersNotBound = Counter.builder("numaledger_bridge_group_members_not_bound")
                .description("pods of groups that could not be bound when others of their group were")
                .register(registry);
        this.givenUp = Counter.builder("numaledger_bridge_groups_given_up")
                .description("gated groups that did not come up in time, so that their pods were evicted")
                .register(registry);
        for (Outcome outcome : Outcome.values()) {
            plans(outcome).increment(0);
        }
    }

    /** A group was planned, or not. */
    public void planned(Outcome outcome) {
        plans(outcome).increment();
    }

    private Counter plans(Outcome outcome) {
        return plans.withTag("outcome", outcome.name().toLowerCase(Locale.ROOT));
    }

    /** A pod of a group was not bound, and others of its group may be. */
    public void memberNotBound() {
        membersNotBound.increment();
    }

    /** A group did not come up in time. */
    public void givenUp() {
        givenUp.increment();
    }
}
