package io.numaledger.agent.run;

import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.config.GpuPublicationOptions;
import io.numaledger.agent.gpu.GpuDetail;
import io.numaledger.agent.gpu.GpuSurvey;
import io.numaledger.agent.gpu.GpuSystem;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuState;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.nrt.gpu.GpuTopologyPublisher;
import io.numaledger.nrt.gpu.GpuTopologyPublisher.Seen;
import io.numaledger.nrt.gpu.NodeAnnotations;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.topology.MachineTopology;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Looks at the GPUs and the other PCI functions now and then and keeps the node's annotations true. It has a thread of its own, since a driver can take
 * minutes to answer, and nothing else may wait for it.
 */
public final class GpuPublication implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GpuPublication.class);
    private static final int FORBIDDEN = 403;

    /** Zones come first, but GPUs are published also where zones cannot be. */
    private static final Duration WITHOUT_ZONES = Duration.ofMinutes(1);

    /** What it works with. */
    public record Parts(
            GpuSurvey survey,
            NodeProbe machine,
            PodResources kubelet,
            NodeAnnotations annotations,
            InstantSource clock) {}

    private final String node;
    private final Parts parts;
    private final GpuPublicationOptions options;
    private final GpuTopologyPublisher publisher;
    private final ProblemLog warnings = ProblemLog.ofInputs("gpu");
    private final CountDownLatch zonesPublished = new CountDownLatch(1);
    private final Backoff backoff;
    private final ProblemLog errors = ProblemLog.ofReconciliations();
    private final Thread thread = new Thread(this::run, "gpu");
    private Optional<GpuSurvey.Result> seen = Optional.empty();
    private Instant nextRead = Instant.MIN;
    private Duration untilNextRead;
    private int failures;
    private Optional<PciNumaNodes> published = Optional.empty();

    public GpuPublication(String node, Parts parts, GpuPublicationOptions options) {
        this.node = node;
        this.parts = parts;
        this.options = options;
        this.publisher = new GpuTopologyPublisher(parts.annotations(), options.extras());
        this.untilNextRead = options.untilNextRead(false);
        Duration longest = options.interval().dividedBy(2); // the back-off waits up to twice as long
        this.backoff = new Backoff(untilNextRead, longest.compareTo(untilNextRead) < 0 ? untilNextRead : longest);
        thread.setDaemon(true);
    }

    /** Looks for the first time when zones have been published, or after a minute without, and then until closed. */
    public void start() {
        if (options.enabled()) {
            thread.start();
        }
    }

    /** This node's zones have been published, with everything else that a reconciliation writes; can be called again. */
    public void zonesPublished() {
        zonesPublished.countDown();
    }

    private void run() {
        try {
            zonesPublished.await(WITHOUT_ZONES.toMillis(), TimeUnit.MILLISECONDS);
            Optional<Duration> pause = iterate();
            while (pause.isPresent()) {
                Thread.sleep(pause.get().toMillis());
                pause = iterate();
            }
        } catch (InterruptedException e) {
            log.debug("event=gpu.stopped node={}", node);
        }
    }

    /** Looks and writes; returns how long to wait for the next turn, empty when there is to be none. */
    Optional<Duration> iterate() {
        Instant now = parts.clock().instant();
        try {
            if (!now.isBefore(nextRead)) {
                observe();
                nextRead = now.plus(untilNextRead);
            }
            publish(now);
            errors.report(List.of());
        } catch (ApiException e) {
            if (e.status() == FORBIDDEN) {
                log.warn(
                        "event=gpu.forbidden node={} reason='{}' effect='GPU topology is not published' advice='grant get and patch on nodes, or set --gpu-topology=false'",
                        node,
                        e.getMessage());
                return Optional.empty();
            }
            errors.report(List.of(e.getMessage()));
        } catch (IOException | PodResourcesException | RuntimeException e) {
            errors.report(List.of(String.valueOf(e.getMessage())));
        } catch (Error e) { // the thread goes on
            log.debug("event=gpu.failed", e);
            errors.report(List.of("internal error, please report it: " + e));
        }
        return Optional.of(options.pause(untilNextRead));
    }

    private void observe() {
        MachineTopology machine =
                parts.survey().hasNvidia() ? parts.machine().probe().machine() : GpuSurvey.NO_MACHINE;
        GpuSurvey.Result result = parts.survey().observe(node, machine);
        warnings.report(result.warnings());
        seen = Optional.of(result);
        if (result.failure().isPresent()) {
            untilNextRead = backoff.failed();
            failed(result.failure().get());
        } else {
            untilNextRead = options.untilNextRead(result.complete());
            backoff.succeeded();
            recovered();
        }
    }

    private void failed(String problem) {
        failures++;
        if (failures == 1) {
            log.warn(
                    "event=nvml.failed node={} problem='{}' effect='the links between GPUs are unknown, unless they are published already'",
                    node,
                    problem);
        } else {
            log.debug("event=nvml.failed_again node={} failures={} problem='{}'", node, failures, problem);
        }
    }

    private void recovered() {
        if (failures > 0) {
            log.info("event=nvml.recovered node={} failures={}", node, failures);
            failures = 0;
        }
    }

    /** Without GPUs, the annotations are read at first, because an earlier agent may have left some, and when PCI functions change. */
    private void publish(Instant now) throws IOException, PodResourcesException {
        GpuSurvey.Result result = seen.orElseThrow();
        boolean none = result.system().topology().gpus().isEmpty();
        if (none && published.equals(Optional.of(result.pci()))) {
            return;
        }
        List<GpuState> states = options.states() ? states(result.system()) : List.of();
        Seen found = new Seen(result.system().topology(), result.complete(), states, result.pci());
        List<String> keys = publisher.publish(found, now);
        published = Optional.of(result.pci());
        if (!keys.isEmpty()) {
            log.info(
                    "event=gpu.published node={} gpus={} keys={}",
                    node,
                    result.system().topology().gpus().size(),
                    String.join(",", keys));
        }
    }

    private List<GpuState> states(GpuSystem system) throws PodResourcesException {
        List<String> held = parts.kubelet().list().pods().stream()
                .flatMap(pod -> pod.containers().stream())
                .flatMap(container -> container.devices().stream())
                .map(DeviceAllocation::deviceId)
                .toList();
        return GpuState.of(system.topology(), slices(system.details()), partitioned(system.details()), held);
    }

    private static Map<String, Integer> slices(List<GpuDetail> details) {
        Map<String, Integer> slices = new TreeMap<>();
        IntStream.range(0, details.size())
                .forEach(gpu -> details.get(gpu)
                        .mig()
                        .orElse(List.of())
                        .forEach(slice -> slice.uuid().ifPresent(uuid -> slices.put(uuid, gpu))));
        return slices;
    }

    private static GpuSet partitioned(List<GpuDetail> details) {
        return GpuSet.of(IntStream.range(0, details.size())
                .filter(gpu -> details.get(gpu).mig().isPresent())
                .toArray());
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
