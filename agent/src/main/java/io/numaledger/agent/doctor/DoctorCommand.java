package io.numaledger.agent.doctor;

import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.NodeDevices;
import io.numaledger.agent.config.ApiOptions;
import io.numaledger.agent.config.NodeOptions;
import io.numaledger.agent.kubelet.Configz;
import io.numaledger.agent.kubelet.StartSettings;
import io.numaledger.agent.statefiles.StartState;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.cli.Finding;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodAllocation;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code agent doctor}: checks the agent's environment on this node. */
@Command(
        name = "doctor",
        description = "Checks what the agent needs on this node, and says what to do about what is missing.",
        footer = "Exit status: 0, or 1 with a finding marked fail.",
        mixinStandardHelpOptions = true)
public final class DoctorCommand implements Callable<Integer> {

    private static final String DEFINITION = "/apis/topology.node.k8s.io/v1alpha2";

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Mixin
    private ApiOptions api = new ApiOptions();

    @Spec
    private CommandSpec command;

    private boolean failed;

    /** What the kubelet runs with; absent where it does not say. */
    private Optional<StartSettings> running = Optional.empty();

    /** The pods as the kubelet lists them. */
    private List<PodAllocation> pods = List.of();

    @Override
    public Integer call() throws IOException {
        flags();
        String name = node.nodeNameOrHost();
        Optional<AllocatableResources> allocatable = kubelet();
        NodeProbe.Reading machine = node.probe().probe();
        hardware(machine);
        leftOut(machine.machine());
        KubeletSettings settings = node.kubelet.settings();
        NodeDevices devices = NodeDevices.UNKNOWN;
        try (ApiServer server = api.connect()) {
            if (Rights.check(server, name, this::print)) {
                devices = devices(server, name);
                definition(server);
                settings = configuration(server, name);
                running = startSettings(server, name);
            }
        }
        KubeletFindings.of(settings, machine.machine(), allocatable).forEach(this::print);
        List<Finding> unlisted = allocatable.isPresent()
                ? RestartFindings.unlistedDevices(
                        pods, allocatable.get().devices(), devices, settings.topologyManagerPolicy())
                : List.of();
        unlisted.forEach(this::print);
        restart(onlineCpus(machine.machine())).stream()
                .filter(finding -> unlisted.isEmpty() || finding.level() != Finding.Level.OK)
                .forEach(this::print);
        return failed ? 1 : 0;
    }

    /** Says which come from the agent of this container. */
    private void flags() {
        if (command.defaultValueProvider() instanceof AgentFlags flags) {
            List<String> taken = flags.values().keySet().stream()
                    .filter(name -> command.findOption(name) != null
                            && !command.commandLine().getParseResult().hasMatchedOption(name))
                    .toList();
            if (!taken.isEmpty()) {
                print(Finding.ok("flags", "as the agent of this container: " + String.join(", ", taken)));
            }
        }
    }

    /** Prints the finding at once: some checks wait for answers. */
    private void print(Finding finding) {
        failed |= finding.level() == Finding.Level.FAIL;
        PrintWriter out = command.commandLine().getOut();
        out.println(finding);
        out.flush();
    }

    private Optional<AllocatableResources> kubelet() {
        try (PodResourcesClient client = node.kubeletClient(warning -> print(Finding.warn("podresources", warning)))) {
            pods = client.list().pods();
            print(Finding.ok("podresources", "the kubelet lists %d pods".formatted(pods.size())));
            return Optional.of(client.allocatable());
        } catch (PodResourcesException e) {
            print(
                    e.kind() == PodResourcesException.Kind.NOT_SUPPORTED
                            ? Finding.warn("podresources", String.valueOf(e.getMessage()))
                            : Finding.fail("podresources", String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }

    private void hardware(NodeProbe.Reading machine) {
        machine.warnings().forEach(warning -> print(Finding.warn("hardware", warning)));
        int nodes = machine.machine().numaNodes().size();
        print(
                nodes == 0
                        ? Finding.fail("hardware", "sysfs shows no NUMA node; check --sysfs-root and its mount")
                        : Finding.ok("hardware", "NUMA nodes: %d".formatted(nodes)));
    }

    private NodeDevices devices(ApiServer server, String name) throws IOException {
        try {
            return server.get("/api/v1/nodes/" + name, NodeDevices::read);
        } catch (ApiException e) {
            if (e.status() == 404) {
                print(Finding.fail(
                        "node",
                        "the cluster has no such node: node=%s; give --node-name as kubectl get nodes prints it"
                                .formatted(name)));
            }
            return NodeDevices.UNKNOWN;
        }
    }

    private void definition(ApiServer server) {
        try {
            server.get(DEFINITION, ApiServer::ignoreBody);
            print(Finding.ok("NRT definition", "the API server knows noderesourcetopologies"));
        } catch (ApiException e) {
            print(
                    e.status() == 404
                            ? Finding.fail(
                                    "NRT definition",
                                    "the API server does not know noderesourcetopologies of topology.node.k8s.io/v1alpha2; install the chart's crds")
                            : Finding.warn("NRT definition", String.valueOf(e.getMessage())));
        } catch (IOException e) {
            print(Finding.fail("API server", String.valueOf(e.getMessage())));
        }
    }

    /** Quiet where configz cannot be read: {@link #configuration} says why. */
    private Optional<StartSettings> startSettings(ApiServer server, String name) {
        try {
            return Optional.of(node.kubelet.configz(server, name).readStartSettings());
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }

    private CpuSet heldCpus() {
        return pods.stream().map(PodAllocation::allCpus).reduce(CpuSet.EMPTY, CpuSet::union);
    }

    /** What the agent leaves out of the placements and zones that it publishes. */
    private void leftOut(MachineTopology machine) {
        PlacementObserver observer = new PlacementObserver(machine, List.of());
        observer.observe(pods, Map.of());
        observer.warnings().forEach(warning -> print(Finding.warn("pods", warning)));
    }

    /** The online CPUs; empty where not all of them are in NUMA nodes: there, the kubelet knows others. */
    private static CpuSet onlineCpus(MachineTopology machine) {
        CpuSet inNumaNodes = machine.numaNodes().stream().map(NumaNode::cpus).reduce(CpuSet.EMPTY, CpuSet::union);
        return inNumaNodes.equals(machine.onlineCpus()) ? inNumaNodes : CpuSet.EMPTY;
    }

    /** @param online the CPUs; empty: not known */
    private List<Finding> restart(CpuSet online) {
        try {
            Optional<StartSettings> file = node.kubelet.file().isPresent()
                    ? Optional.of(StartSettings.read(node.kubelet.file().get()))
                    : Optional.empty();
            Optional<StartSettings> next =
                    file.map(own -> running.map(own::over).orElse(own)).or(() -> running);
            if (next.isPresent() && node.stateDirectory().isPresent()) {
                StartState state = StartState.read(node.stateDirectory().get());
                return RestartFindings.overState(next.get(), state, online);
            } else if (file.isPresent() && running.isPresent()) {
                return RestartFindings.afterChange(file.get(), running.get(), heldCpus(), online);
            }
            return List.of(
                    Finding.skip(
                            RestartFindings.ABOUT,
                            "not checked whether the kubelet could start again over its state; give --kubelet-config and --kubelet-state-dir"));
        } catch (IOException e) {
            return List.of(Finding.warn(RestartFindings.ABOUT, String.valueOf(e.getMessage())));
        }
    }

    private KubeletSettings configuration(ApiServer server, String name) throws IOException {
        KubeletSettings reported = KubeletSettings.UNKNOWN;
        try {
            reported = node.kubelet.configz(server, name).read();
            print(Finding.ok("configz", "the kubelet serves its configuration"));
        } catch (Configz.Untrusted e) {
            boolean known = node.kubelet.settings().topologyManagerPolicy().isPresent();
            print(new Finding(
                    known ? Finding.Level.WARN : Finding.Level.FAIL, "configz", String.valueOf(e.getMessage())));
        } catch (IOException e) {
            print(Finding.warn("configz", String.valueOf(e.getMessage())));
        }
        return node.kubelet.settings().over(reported);
    }
}
