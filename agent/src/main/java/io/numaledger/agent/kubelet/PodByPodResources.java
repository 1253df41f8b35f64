package io.numaledger.agent.kubelet;

import io.numaledger.annotation.PodView;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.podresources.PodResourcesException.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Calls Get for each pod while the answer to List is too large. Get is there since Kubernetes 1.27, and on since 1.34 (feature gate
 * KubeletPodResourcesGet).
 */
public final class PodByPodResources implements PodResources {

    private static final Logger log = LoggerFactory.getLogger(PodByPodResources.class);

    /** A List that is too large costs the kubelet and the agent as much as one that can be read. */
    private static final Duration TRY_LIST_AGAIN = Duration.ofMinutes(10);

    private final PodResources kubelet;
    private final Supplier<? extends Collection<PodView>> pods;
    private final InstantSource clock;
    private Instant nextList = Instant.MIN;

    /** @param pods of the node, from the API server */
    public PodByPodResources(PodResources kubelet, Supplier<? extends Collection<PodView>> pods, InstantSource clock) {
        this.kubelet = kubelet;
        this.pods = pods;
        this.clock = clock;
    }

    @Override
    public synchronized PodResourcesSnapshot list() throws PodResourcesException {
        if (clock.instant().isBefore(nextList)) {
            return getEach();
        }
        try {
            PodResourcesSnapshot listed = kubelet.list();
            if (nextList.isAfter(Instant.MIN)) {
                nextList = Instant.MIN;
                log.info("event=kubelet.list_read");
            }
            return listed;
        } catch (PodResourcesException e) {
            if (e.kind() != Kind.TOO_LARGE) {
                throw e;
            }
            return instead(e);
        }
    }

    private PodResourcesSnapshot instead(PodResourcesException tooLarge) throws PodResourcesException {
        try {
            PodResourcesSnapshot each = getEach();
            if (nextList.equals(Instant.MIN)) {
                log.warn(
                        "event=kubelet.list_too_large reason='{}' effect='the agent calls Get for each pod, and is slower' advice='look for a failing DRA driver, or raise --kubelet-answer-limit and the heap of the agent'",
                        tooLarge.getMessage());
            }
            nextList = clock.instant().plus(TRY_LIST_AGAIN);
            return each;
        } catch (PodResourcesException e) {
            if (e.kind() == Kind.NOT_SUPPORTED) {
                throw tooLarge;
            }
            throw e;
        }
    }

    private PodResourcesSnapshot getEach() throws PodResourcesException {
        List<PodAllocation> each = new ArrayList<>();
        for (PodView pod : pods.get()) {
            if (!pod.terminal()) {
                try {
                    each.add(kubelet.get(pod.namespace(), pod.name()));
                } catch (PodResourcesException e) {
                    if (e.kind() != Kind.NO_SUCH_POD) {
                        throw e;
                    }
                }
            }
        }
        return new PodResourcesSnapshot(each);
    }

    @Override
    public AllocatableResources allocatable() throws PodResourcesException {
        return kubelet.allocatable();
    }

    @Override
    public PodAllocation get(String namespace, String name) throws PodResourcesException {
        return kubelet.get(namespace, name);
    }
}
