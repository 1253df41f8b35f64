package io.numaledger.agent.run;

import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.Pods;
import io.numaledger.agent.api.Topologies;
import io.numaledger.agent.config.ApiOptions;
import io.numaledger.agent.config.NodeOptions;
import io.numaledger.agent.exclude.Exclusions;
import io.numaledger.agent.kubelet.PodByPodResources;
import io.numaledger.agent.metrics.ReconciliationEvents;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.TopologyAssembler;
import io.numaledger.nrt.profile.TopologyProfile;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.podresources.PodResourcesException.Kind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/** {@code agent once}: reconciles once. */
@Command(
        name = "once",
        description = "Publishes this node's state once, or with --dry-run prints it.",
        footer = "Exit status: 0 done; 1 something could not be read or written; 2 wrong flags.",
        mixinStandardHelpOptions = true)
public final class OnceCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Mixin
    private ApiOptions api = new ApiOptions();

    @Option(
            names = "--dry-run",
            description =
                    "print what would be written; needs no kubelet, and an API server only for --kubelet-state-dir")
    private boolean dryRun;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "yaml or json (an object a line), with --dry-run (default: ${DEFAULT-VALUE})",
            defaultValue = "yaml")
    private String format;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        if (!format.equals("yaml") && !format.equals("json")) {
            throw new ParameterException(
                    command.commandLine(), "--output is '%s'; expected yaml, json".formatted(format));
        }
        try {
            return dryRun ? print() : publish();
        } catch (IOException e) {
            warning(String.valueOf(e.getMessage()));
            return 1;
        }
    }

    private void warning(String sentence) {
        command.commandLine().getErr().println(sentence);
    }

    private int print() throws IOException {
        KubeletSettings kubelet = node.kubelet.settings();
        DryRun output = new DryRun(command.commandLine().getOut(), format.equals("yaml"));
        NodeProbe.Reading machine = node.probe().probe();
        machine.warnings().forEach(this::warning);
        if (machine.machine().numaNodes().isEmpty()) {
            return 1;
        }
        String name = node.nodeNameOrHost();
        try (PodResourcesClient client = node.kubeletClient(this::warning)) {
            Observation seen = observe(client, machine);
            seen.warnings().forEach(this::warning);
            Optional<TopologyProfile> profile = node.profile.profile();
            if (profile.isPresent()) {
                output.topology(seen.topology(name, Optional.empty(), kubelet, profile.get(), List.of()));
            }
            output.annotations(seen);
            return 0;
        } catch (PodResourcesException e) {
            warning(String.valueOf(e.getMessage()));
            warning("the kubelet does not answer, so allocations are unknown: zones are printed with their sizes only");
            output.topology(new TopologyAssembler(machine.machine(), kubelet).withoutKubelet(name, Optional.empty()));
            return e.kind() == Kind.UNAVAILABLE ? 0 : 1;
        }
    }

    private Observation observe(PodResources client, NodeProbe.Reading machine) throws PodResourcesException {
        Optional<AllocatableResources> allocatable;
        try {
            allocatable = Optional.of(client.allocatable());
        } catch (PodResourcesException e) {
            if (e.kind() != Kind.NOT_SUPPORTED) {
                throw e;
            }
            warning(String.valueOf(e.getMessage()));
            allocatable = Optional.empty();
        }
        Exclusions exclusions = node.exclusions.of(node.nodeNameOrHost()).current();
        PodResourcesSnapshot listed = exclusions.withoutPods(client.list());
        KubeletAnswer answer = KubeletAnswer.of(allocatable, listed, withInitContainers(listed), exclusions);
        return Observation.of(machine, answer, new TreeMap<>(), node.kaiStrict);
    }

    /** The kubelet's state files know pods by UID, and only the API server tells whose these are. */
    private Optional<InitContainers.Added> withInitContainers(PodResourcesSnapshot listed) {
        if (node.stateFiles().isEmpty()) {
            return Optional.empty();
        }
        String name = node.nodeNameOrHost();
        try (ApiServer server = api.connect();
                Pods pods = new Pods(server, name, () -> {})) {
            pods.refresh();
            return new InitContainers(node.stateFiles()).added(listed, pods.all());
        } catch (IOException e) {
            warning("--kubelet-state-dir has no effect, since it needs the UIDs of the pods of node=%s: %s"
                    .formatted(name, e.getMessage()));
            return Optional.empty();
        }
    }

    private int publish() throws IOException {
        String name = node.nodeName()
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(), "--node-name is missing; give it, or set NODE_NAME"));
        try (ApiServer server = api.connect();
                PodResourcesClient client = node.kubeletClient(this::warning);
                Pods pods = new Pods(server, name, () -> {});
                Topologies topologies = new Topologies(server, name, () -> {})) {
            NodeAgent agent = new NodeAgent(
                    new NodeAgent.Parts(
                            node.probe(),
                            new PodByPodResources(client, pods::all, InstantSource.system()),
                            node.stateFiles(),
                            pods,
                            topologies,
                            node.profile.owner(server, name),
                            ReconciliationEvents.NONE,
                            InstantSource.system()),
                    new NodeAgent.Settings(
                            name,
                            node.kubelet.configuration(server, name, InstantSource.system()),
                            node.kaiStrict,
                            node.profile.profile(),
                            node.exclusions.of(name)));
            NodeAgent.Reconciliation result = AgentLoop.once(agent, pods);
            result.errors().forEach(this::warning);
            return result.errors().isEmpty() ? 0 : 1;
        }
    }
}
