package io.numaledger.agent.refusal;

import io.numaledger.annotation.PodView;
import io.numaledger.kubelet.admission.Refusal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The pods that the kubelet of this node refused at admission, each reported once. Their controller creates another pod at once, and
 * nothing keeps the scheduler from sending it to the same node: a repeat is the same owner's next refused pod here.
 */
public final class Refusals {

    private static final Logger log = LoggerFactory.getLogger(Refusals.class);

    private static final List<String> REASONS =
            Stream.of(Refusal.Reason.values()).map(Refusal.Reason::toString).toList();

    /** Owners beyond this many are forgotten, the first in order first: a bound, not a working range. */
    private static final int MOST_OWNERS = 4096;

    private final Listener listener;
    private final SortedMap<String, Integer> byOwner = new TreeMap<>();
    private Set<String> known = Set.of();

    /** Hears of each refusal once. */
    @FunctionalInterface
    public interface Listener {
        /** @param again a pod of the same owner was refused here before */
        void refused(String reason, boolean again);
    }

    public Refusals(Listener listener) {
        this.listener = listener;
    }

    /** Looks through all pods of this node. */
    public void observe(Collection<PodView> pods) {
        Set<String> present = new TreeSet<>();
        for (PodView pod : pods) {
            if (pod.terminal() && pod.reason().filter(REASONS::contains).isPresent()) {
                present.add(pod.uid());
                if (!known.contains(pod.uid())) {
                    tell(pod, pod.reason().get());
                }
            }
        }
        known = present;
    }

    private void tell(PodView pod, String reason) {
        String owner = pod.namespace() + "/" + pod.owner().orElse("Pod/" + pod.name());
        int times = byOwner.merge(owner, 1, Integer::sum);
        if (byOwner.size() > MOST_OWNERS) {
            byOwner.remove(byOwner.firstKey());
        }
        log.warn("event=pod.refused pod={} reason={} owner={} times={}", pod.key(), reason, owner, times);
        listener.refused(reason, times > 1);
    }
}
