package io.numaledger.agent.run;

import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.NodeAllocatable;
import io.numaledger.agent.api.NodeObject;
import io.numaledger.agent.api.Pods;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.agent.api.Topologies;
import io.numaledger.agent.config.ApiOptions;
import io.numaledger.agent.config.GpuPublicationOptions;
import io.numaledger.agent.config.NodeOptions;
import io.numaledger.agent.exclude.ExclusionSource;
import io.numaledger.agent.health.HealthOptions;
import io.numaledger.agent.health.Supervision;
import io.numaledger.agent.kubelet.BudgetedPodResources;
import io.numaledger.agent.kubelet.KubeletConfiguration;
import io.numaledger.agent.kubelet.PodByPodResources;
import io.numaledger.agent.kubelet.SocketWatch;
import io.numaledger.cli.GoDuration;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.clock.SteadyClock;
import io.numaledger.logging.LogOptions;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.task.Termination;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;

/** {@code agent run}: the command of the DaemonSet. */
@Command(
        name = "run",
        description = "Publishes what this node holds, and keeps it true until stopped.",
        mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {

    private static final Logger log = LoggerFactory.getLogger(RunCommand.class);

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Mixin
    private ApiOptions api = new ApiOptions();

    @Mixin
    private GpuPublicationOptions gpus = new GpuPublicationOptions();

    @Mixin
    private HealthOptions health = new HealthOptions();

    @Mixin
    private LogOptions logging = new LogOptions();

    @Option(
            names = "--poll-interval",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description = "poll interval of the kubelet without the right to watch pods (default: 1s)")
    private Duration pollInterval = Duration.ofSeconds(1);

    @Option(
            names = "--drift-resync-interval",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description =
                    "how often to read all pods of the node where the right to watch is missing; 0: never (default: 60s)")
    private Duration driftInterval = Duration.ofSeconds(60);

    @Option(
            names = "--resync-interval",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description = "interval of reconciliations without a trigger (default: 2m)")
    private Duration resyncInterval = Duration.ofMinutes(2);

    @Option(
            names = "--device-interval",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description = "poll interval of the kubelet's healthy devices (default: 30s)")
    private Duration deviceInterval = Duration.ofSeconds(30);

    @Spec
    private CommandSpec command;

    /** Returns never: each write is whole by itself, so that SIGTERM ends the process without closing anything. */
    @Override
    public Integer call() throws IOException, InterruptedException {
        try (Termination termination = new Termination(this::stopped, Duration.ZERO)) {
            publish();
            return 0;
        }
    }

    private void stopped() {
        log.info("event=agent.stopped node={}", node.nodeName().orElse(""));
    }

    private void publish() throws IOException, InterruptedException {
        positive("--poll-interval", pollInterval);
        positive("--resync-interval", resyncInterval);
        positive("--device-interval", deviceInterval);
        String name = node.nodeName()
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(), "--node-name is missing; give it, or set NODE_NAME"));
        logging.apply();
        ExclusionSource exclusions = node.exclusions.of(name);
        RequestBudget calls = node.kubeletBudget();
        InstantSource clock = new SteadyClock();
        Signal signal = new Signal();
        DevicePolls devices = new DevicePolls(deviceInterval, clock);
        try (ApiServer server = api.connect();
                PodResourcesClient kubelet = node.kubeletClient(
                        warning -> log.warn("event=input.ignored source=kubelet problem='{}'", warning));
                Pods pods = new Pods(server, name, signal::raise);
                Topologies topologies = new Topologies(server, name, signal::raise);
                NodeAllocatable allocatable = new NodeAllocatable(server, name, raising(signal, devices::nodeChanged));
                SocketWatch sockets =
                        new SocketWatch(node.socketDirectories(), raising(signal, devices::socketChanged));
                GpuPublication gpuPublication = gpuPublication(
                        name,
                        server,
                        new PodByPodResources(new BudgetedPodResources(kubelet, calls), pods::all, clock),
                        clock);
                Supervision supervision = health.supervise(server, pods::outOfTouch, clock)) {
            gpuPublication.start();
            KubeletConfiguration configuration = node.kubelet.configuration(server, name, clock);
            supervision.watchConfiguration(configuration, exclusions);
            NodeAgent.Settings settings =
                    new NodeAgent.Settings(name, configuration, node.kaiStrict, node.profile.profile(), exclusions);
            NodeAgent agent = new NodeAgent(
                    new NodeAgent.Parts(
                            node.probe(),
                            new PodByPodResources(
                                    supervision.metered(new BudgetedPodResources(kubelet, calls)), pods::all, clock),
                            node.stateFiles(),
                            pods,
                            topologies,
                            node.profile.owner(server, name),
                            supervision,
                            clock),
                    settings);
            agent.onPublished(gpuPublication::zonesPublished);
            kubelet.onDisconnect(() -> {
                configuration.kubeletRestarted();
                agent.kubeletGone();
                signal.raise();
            });
            ProgramVersion build = new ProgramVersion();
            log.info(
                    "event=agent.started version={} commit={} node={} api={} kai_strict={}",
                    build.version(),
                    build.commit(),
                    name,
                    server.url(),
                    node.kaiStrict);
            AgentLoop.Periods periods = new AgentLoop.Periods(resyncInterval, pollInterval, driftInterval);
            AgentLoop.Watches watches = new AgentLoop.Watches(pods, topologies, allocatable);
            new AgentLoop(agent, watches, signal, devices, periods, clock).run();
        }
    }

    private static Runnable raising(Signal signal, Runnable first) {
        return () -> {
            first.run();
            signal.raise();
        };
    }

    private GpuPublication gpuPublication(String name, ApiServer server, PodResources kubelet, InstantSource clock) {
        GpuPublication.Parts parts = new GpuPublication.Parts(
                gpus.survey(node.sysfsRoot()), node.probe(), kubelet, new NodeObject(server, name), clock);
        return new GpuPublication(name, parts, gpus);
    }

    private void positive(String flag, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new ParameterException(
                    command.commandLine(), "%s is '%s'; expected more than 0".formatted(flag, value));
        }
    }
}
