package io.numaledger.bridge.replica;

import io.numaledger.bridge.extender.Binder;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.scheduling.dra.ClaimWriter;
import io.numaledger.scheduling.gated.GroupWriter;
import io.numaledger.scheduling.group.TopologyPlace;
import io.numaledger.scheduling.preemption.Evictor;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Asks right before each write whether this replica still leads: it may have lost the Lease since the decision. */
public record LeaderWrites(BooleanSupplier mayWrite) {

    private static final String NOT_LEADING = "this replica does not lead any more: pod=%s; the pod is tried again";

    /** Writes the leader's binds. */
    public Binder binder(Binder binder) {
        return new Binder() {
            @Override
            public void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) throws IOException {
                if (!mayWrite.getAsBoolean()) {
                    throw new RefusedException(NOT_LEADING.formatted(pod.key()));
                }
                binder.bind(pod, node, predicted);
            }

            @Override
            public Optional<PodFacts> read(String namespace, String name, String uid) throws IOException {
                return binder.read(namespace, name, uid);
            }

            @Override
            public Optional<ResourceClaim> readClaim(String namespace, String name) throws IOException {
                return binder.readClaim(namespace, name);
            }
        };
    }

    /** Writes the leader's evictions. */
    public Evictor evictor(Evictor evictor) {
        return new Evictor() {
            @Override
            public void nominate(PodFacts pod, String node) throws IOException {
                require(pod);
                evictor.nominate(pod, node);
            }

            @Override
            public void evict(PodFacts victim) throws IOException {
                require(victim);
                evictor.evict(victim);
            }
        };
    }

    /** Writes the leader's plans of groups. */
    public GroupWriter groups(GroupWriter writer) {
        return new GroupWriter() {
            @Override
            public void release(PodFacts pod, String node, Optional<TopologyPlace> place) throws IOException {
                require(pod);
                writer.release(pod, node, place);
            }

            @Override
            public void evict(PodFacts pod) throws IOException {
                require(pod);
                writer.evict(pod);
            }

            @Override
            public void preempt(PodFacts victim) throws IOException {
                require(victim);
                writer.preempt(victim);
            }
        };
    }

    /** Gives back claims for the leader. */
    public ClaimWriter claims(ClaimWriter writer) {
        return claim -> mayWrite.getAsBoolean() && writer.giveBack(claim);
    }

    private void require(PodFacts pod) throws IOException {
        if (!mayWrite.getAsBoolean()) {
            throw new IOException(NOT_LEADING.formatted(pod.key()));
        }
    }
}
