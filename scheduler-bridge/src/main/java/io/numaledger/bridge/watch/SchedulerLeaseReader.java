package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.scheduling.scheduler.SchedulerLeases;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Reads the Leases of schedulers. */
public final class SchedulerLeaseReader implements Runnable {

    private final KubernetesClient client;
    private final Set<String> schedulers;
    private final Consumer<SchedulerLeases> target;

    /** @param client repeats no request */
    public SchedulerLeaseReader(KubernetesClient client, Set<String> schedulers, Consumer<SchedulerLeases> target) {
        this.client = client;
        this.schedulers = Set.copyOf(schedulers);
        this.target = target;
    }

    /** Reads the Leases. Nothing is known of them without an answer, or without the right to read them, which older charts do not give. */
    @Override
    public void run() {
        Map<String, Instant> renewals = new TreeMap<>();
        try {
            for (String scheduler : schedulers) {
                String name = SchedulerLeases.nameOf(scheduler);
                Optional.ofNullable(client.leases()
                                .inNamespace(SchedulerLeases.NAMESPACE)
                                .withName(name)
                                .get())
                        .flatMap(lease -> Optional.ofNullable(lease.getSpec()))
                        .map(LeaseSpec::getRenewTime)
                        .ifPresent(renewed -> renewals.put(name, renewed.toInstant()));
            }
            target.accept(SchedulerLeases.read(renewals));
        } catch (KubernetesClientException e) {
            target.accept(SchedulerLeases.UNREAD);
        }
    }
}
