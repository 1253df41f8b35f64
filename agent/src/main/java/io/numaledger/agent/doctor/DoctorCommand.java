package io.numaledger.agent.doctor;

import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.config.ApiOptions;
import io.numaledger.agent.config.NodeOptions;
import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.PodResourcesException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code agent doctor}: checks the agent's environment on this node. */
@Command(
        name = "doctor",
        description = "Check what the agent needs on this node, and say what to do about what is missing.",
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

    @Override
    public Integer call() throws IOException {
        List<Finding> found = new ArrayList<>();
        String name = node.nodeNameOrHost();
        Optional<AllocatableResources> allocatable = kubelet(found);
        NodeProbe.Reading machine = node.probe().probe();
        hardware(machine, found);
        KubeletSettings settings = node.kubelet.settings();
        try (ApiServer server = api.connect()) {
            found.addAll(Rights.of(server, name));
            found.add(definition(server));
            settings = configuration(server, name, found);
        }
        found.addAll(KubeletFindings.of(settings, machine.machine(), allocatable));
        PrintWriter out = command.commandLine().getOut();
        found.forEach(out::println);
        out.flush();
        return found.stream().anyMatch(finding -> finding.level() == Finding.Level.FAIL) ? 1 : 0;
    }

    private Optional<AllocatableResources> kubelet(List<Finding> found) {
        try (PodResourcesClient client =
                node.kubeletClient(warning -> found.add(Finding.warn("podresources", warning)))) {
            int pods = client.list().pods().size();
            found.add(Finding.ok("podresources", "the kubelet lists %d pods".formatted(pods)));
            return Optional.of(client.allocatable());
        } catch (PodResourcesException e) {
            found.add(
                    e.kind() == PodResourcesException.Kind.NOT_SUPPORTED
                            ? Finding.warn("podresources", String.valueOf(e.getMessage()))
                            : Finding.fail("podresources", String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }

    private static void hardware(NodeProbe.Reading machine, List<Finding> found) {
        machine.warnings().forEach(warning -> found.add(Finding.warn("hardware", warning)));
        int nodes = machine.machine().numaNodes().size();
        found.add(
                nodes == 0
                        ? Finding.fail("hardware", "sysfs shows no NUMA node; check --sysfs-root and its mount")
                        : Finding.ok("hardware", "NUMA nodes: %d".formatted(nodes)));
    }

    private static Finding definition(ApiServer server) {
        try {
            server.get(DEFINITION, ApiServer::ignoreBody);
            return Finding.ok("NRT definition", "the API server knows noderesourcetopologies");
        } catch (ApiException e) {
            return e.status() == 404
                    ? Finding.fail(
                            "NRT definition",
                            "the API server does not know noderesourcetopologies of topology.node.k8s.io/v1alpha2; install the chart's crds")
                    : Finding.warn("NRT definition", String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return Finding.fail("API server", String.valueOf(e.getMessage()));
        }
    }

    private KubeletSettings configuration(ApiServer server, String name, List<Finding> found) throws IOException {
        KubeletSettings reported = KubeletSettings.UNKNOWN;
        try {
            reported = node.kubelet.configz(server, name).read();
            found.add(Finding.ok("configz", "the kubelet serves its configuration"));
        } catch (IOException e) {
            found.add(Finding.warn("configz", String.valueOf(e.getMessage())));
        }
        return node.kubelet.settings().over(reported);
    }
}
