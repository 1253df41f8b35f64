package io.numaledger.simulator.node;

import io.numaledger.evaluation.fit.RefusalExplanation;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.pod.PodRequest;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.simulator.hardware.NodeSpec;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The part of a kubelet that admits pods and reports what they hold. It decides with the kubelet model, the one that the
 * product itself uses; it has no rule of its own. Safe to use from several threads.
 */
public final class SimulatedKubelet implements PodResources {

    private final NodeSpec spec;
    private final KubeletModel model;
    private final ReportLag lag;
    private final InstantSource clock;
    private final Map<String, Listed> listed = new TreeMap<>();
    private final Map<String, String> refusals = new TreeMap<>();
    private NodeState state;

    private record Listed(PodAllocation pod, Instant from, Instant until) {}

    /**
     * @throws io.numaledger.kubelet.config.StartupRefusedException if a kubelet would not start so
     */
    public SimulatedKubelet(NodeSpec spec, ReportLag lag, InstantSource clock) {
        this.spec = spec;
        this.model = SpecModel.start(spec);
        this.lag = lag;
        this.clock = clock;
        this.state = model.empty();
    }

    public NodeSpec spec() {
        return spec;
    }

    /**
     * Decides on a pod and, if it is admitted, gives it what it asks for.
     *
     * @param namespace its namespace, for the reports
     * @param name its name, for the reports; {@code request} carries its UID
     */
    public synchronized Admission admit(String namespace, String name, PodRequest request) {
        NodeState before = state;
        Decision decision = model.admit(state, request);
        state = decision.state();
        if (decision.admission() instanceof Admission.Admitted admitted) {
            state = model.started(state, request);
            Instant from = clock.instant().plus(lag.draw());
            PodAllocation pod = model.listed(request, admitted).of(namespace, name);
            listed.put(request.name(), new Listed(pod, from, Instant.MAX));
        }
        if (decision.admission() instanceof Admission.Refused refused) {
            refusals.put(
                    request.name(),
                    named(PodNames.ALL.text(RefusalExplanation.sentence(model, before, request, refused))));
        }
        return decision.admission();
    }

    /** With the names of pods, which the model knows by their UIDs. */
    private String named(String sentence) {
        String named = sentence;
        for (Map.Entry<String, Listed> pod : listed.entrySet()) {
            named = named.replace(pod.getKey(), pod.getValue().pod().key());
        }
        return named;
    }

    /** The pod has ended; what it held is free for the next admission, and leaves the reports when their lag has passed. */
    public synchronized void remove(String uid) {
        state = model.ended(state, uid);
        listed.computeIfPresent(
                uid,
                (key, pod) -> new Listed(pod.pod(), pod.from(), clock.instant().plus(lag.draw())));
    }

    /** Why a pod was refused, by its UID: one sentence. */
    public synchronized Optional<String> refusal(String uid) {
        return Optional.ofNullable(refusals.get(uid));
    }

    @Override
    public synchronized PodResourcesSnapshot list() {
        Instant now = clock.instant();
        listed.values().removeIf(pod -> !now.isBefore(pod.until()));
        return new PodResourcesSnapshot(listed.values().stream()
                .filter(pod -> !now.isBefore(pod.from()))
                .map(Listed::pod)
                .toList());
    }

    @Override
    public AllocatableResources allocatable() {
        return SpecModel.allocatable(spec, model);
    }

    @Override
    public PodAllocation get(String namespace, String name) throws PodResourcesException {
        return list().pods().stream()
                .filter(pod -> pod.namespace().equals(namespace) && pod.name().equals(name))
                .findFirst()
                .orElseThrow(() -> PodResourcesException.noSuchPod(namespace, name));
    }
}
