package io.numaledger.agent.run;

import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.NodeOwner;
import io.numaledger.agent.api.Topologies;
import io.numaledger.agent.metrics.ReconciliationEvents;
import io.numaledger.agent.run.Observation.Unlisted;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAssembler;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.TopologyPublisher;
import io.numaledger.nrt.TopologyPublisher.Outcome;
import io.numaledger.nrt.profile.TopologyProfile;
import io.numaledger.topology.MachineTopology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Publishes this node's NodeResourceTopology: decides when it may be written and who owns it, and logs changes. */
final class TopologyPublication {

    private static final Logger log = LoggerFactory.getLogger(TopologyPublication.class);
    private static final Duration ASK_FOR_RIGHTS_AGAIN = Duration.ofMinutes(10);
    private static final Duration READ_OWNER_AGAIN = Duration.ofMinutes(10);

    private final NodeAgent.Settings settings;
    private final TopologyProfile profile;
    private final NodeOwner owner;
    private final ReconciliationEvents events;
    private final TopologyPublisher publisher;
    private final Pacing pacing = new Pacing();
    private final SharedPool sharedPool;
    private Instant forbiddenUntil = Instant.EPOCH;
    private Instant ownerUntil = Instant.EPOCH;
    private Optional<String> contender = Optional.empty();
    private Optional<Built> last = Optional.empty();
    private Optional<TopologyAssembler> assembler = Optional.empty();
    private boolean published;

    /** All that a NodeResourceTopology follows from. */
    private record Facts(
            Observation seen,
            Optional<NodeTopology.Owner> owner,
            KubeletSettings kubelet,
            List<Unlisted> unlisted,
            boolean restarting) {

        NodeTopology topology(String node, TopologyAssembler assembler, TopologyProfile profile) {
            NodeTopology topology = seen.topology(node, owner, assembler, profile, unlisted);
            return restarting ? profile.whileKubeletRestarts(topology) : topology;
        }
    }

    private record Built(Facts facts, NodeTopology topology) {}

    TopologyPublication(NodeAgent.Parts parts, NodeAgent.Settings settings, TopologyProfile profile) {
        this.settings = settings;
        this.profile = profile;
        this.owner = parts.owner();
        this.events = parts.events();
        this.sharedPool = new SharedPool(settings.node());
        this.publisher = new TopologyPublisher(parts.topologies(), Topologies.FIELD_MANAGER);
    }

    /**
     * Publishes the observed zones as the node's NodeResourceTopology.
     *
     * @param restarting the kubelet has restarted and may still count what ended pods held
     * @param failed gets a sentence if it could not be written
     * @return when it may be written at the earliest, if that is not now
     */
    Optional<Instant> publish(
            Observation seen, List<Unlisted> unlisted, boolean restarting, Instant now, List<String> failed) {
        if (now.isBefore(pacing.earliest())) {
            return Optional.of(pacing.earliest());
        }
        write(now, failed, () -> {
            if (publisher.deleted(settings.node()) || !now.isBefore(ownerUntil)) {
                owner.forget();
                ownerUntil = now.plus(READ_OWNER_AGAIN);
            }
            return Optional.of(
                    topology(new Facts(seen, owner.find(), settings.kubelet().get(), unlisted, restarting)));
        });
        return Optional.empty();
    }

    /** Marks the zones that are published, also those of an earlier process: the kubelet does not answer. */
    void kubeletGone(Instant now, List<String> failed) {
        write(
                now,
                failed,
                () -> publisher
                        .last(settings.node())
                        .filter(topology -> !topology.zones().isEmpty())
                        .map(profile::whileKubeletRestarts));
    }

    /** True if an earlier process saw the kubelet go, and not come back. */
    boolean restartUnfinished(Instant now) {
        try {
            return !published
                    && !now.isBefore(forbiddenUntil)
                    && publisher
                            .last(settings.node())
                            .filter(topology -> topology.attributes().containsKey(TopologyAttributes.KUBELET))
                            .isPresent();
        } catch (IOException e) {
            return false; // the object cannot be written either
        }
    }

    private interface Wanted {
        Optional<NodeTopology> topology() throws IOException;
    }

    private void write(Instant now, List<String> failed, Wanted wanted) {
        if (now.isBefore(forbiddenUntil)) {
            return;
        }
        try {
            Optional<NodeTopology> topology = wanted.topology();
            if (topology.isPresent()) {
                tell(publisher.publish(topology.get(), now), topology.get(), now);
            }
        } catch (ApiException e) {
            if (e.status() == 403) {
                annotationsOnly(e, now);
            } else {
                failed.add(cannotPublish(e));
            }
        } catch (IOException e) {
            failed.add(cannotPublish(e));
        }
    }

    /** The topology of these facts; the same object while all facts are the same. */
    private NodeTopology topology(Facts facts) {
        Built built = last.filter(before -> before.facts().equals(facts))
                .orElseGet(() -> new Built(facts, facts.topology(settings.node(), assembler(facts), profile)));
        last = Optional.of(built);
        sharedPool.report(facts.seen().kubelet(), facts.kubelet());
        return built.topology();
    }

    private TopologyAssembler assembler(Facts facts) {
        MachineTopology machine = facts.seen().reading().machine();
        TopologyAssembler current = assembler
                .filter(before -> before.isOf(machine, facts.kubelet()))
                .orElseGet(() -> new TopologyAssembler(machine, facts.kubelet()));
        assembler = Optional.of(current);
        return current;
    }

    private void tell(Outcome outcome, NodeTopology topology, Instant now) {
        published = true;
        events.topology(outcome, topology);
        if (outcome == Outcome.REPAIRED) {
            events.repaired(ReconciliationEvents.Repaired.NRT, 1);
        }
        if (outcome == Outcome.WRITTEN || outcome == Outcome.REPAIRED) {
            pacing.published(now);
            log.info(
                    "event=nrt.published node={} zones={} repaired={}",
                    settings.node(),
                    topology.zones().size(),
                    outcome == Outcome.REPAIRED);
        }
        tellContender(publisher.contender());
    }

    private void tellContender(Optional<String> other) {
        if (other.isPresent() && contender.isEmpty()) {
            log.warn(
                    "event=nrt.contested node={} manager={} effect='the NodeResourceTopology is left to it' advice='run one publisher on each node, or set --nrt-profile=off'",
                    settings.node(),
                    other.get());
        } else if (other.isEmpty() && contender.isPresent()) {
            log.info("event=nrt.uncontested node={} manager={}", settings.node(), contender.get());
        }
        contender = other;
    }

    private String cannotPublish(IOException e) {
        return "cannot publish the NodeResourceTopology of node %s: %s".formatted(settings.node(), e.getMessage());
    }

    /** KAI's operator grants rights to pods only; more may be granted later. */
    private void annotationsOnly(ApiException e, Instant now) {
        if (forbiddenUntil.equals(Instant.EPOCH)) {
            log.warn(
                    "event=nrt.forbidden node={} reason='{}' effect='placements are written on pods only'",
                    settings.node(),
                    e.getMessage());
        }
        forbiddenUntil = now.plus(ASK_FOR_RIGHTS_AGAIN);
    }
}
