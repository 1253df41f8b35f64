package io.numaledger.simulator.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.agent.pci.PciBus;
import io.numaledger.agent.statefiles.KubeletStateFiles;
import io.numaledger.agent.sysfs.ProbeResult;
import io.numaledger.agent.sysfs.SysfsOptions;
import io.numaledger.agent.sysfs.SysfsReader;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.objects.ClusterDump;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.podresources.PodResourcesClient;
import io.numaledger.podresources.PodResourcesException;
import io.numaledger.simulator.hardware.NodeSpecException;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.text.TextErrors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code record}: a real node as an archive that {@code sim up} simulates and {@code sim replay} judges. */
@Command(
        name = "record",
        mixinStandardHelpOptions = true,
        description =
                "Records this node: its NUMA hardware, the kubelet's policies, what pods hold, and one decision of the kubelet.",
        footer = {
            "",
            "Names of pods and containers and ids of devices are hashed. Names of resources and drivers, and amounts, are not.",
            "Nothing else is recorded.",
            "Run it on the node, as root, or name copies of its files."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:something cannot be read or written", "2:wrong arguments"})
public final class RecordCommand implements Callable<Integer> {

    private static final YAMLMapper YAML = new YAMLMapper();

    @Mixin
    private SysfsOptions sysfs;

    @Option(
            names = "--kubelet-version",
            paramLabel = "VERSION",
            required = true,
            description = "of the node, as kubectl get nodes shows it")
    private String version = "";

    @Option(
            names = "--kubelet-config",
            paramLabel = "FILE",
            description = "KubeletConfiguration, YAML or JSON (default: ${DEFAULT-VALUE})")
    private Path config = Path.of("/var/lib/kubelet/config.yaml");

    @Option(
            names = "--kubelet-state-dir",
            paramLabel = "DIR",
            description = "the kubelet's root directory, with its state files (default: ${DEFAULT-VALUE})")
    private Path state = Path.of("/var/lib/kubelet");

    @Option(
            names = "--podresources-socket",
            paramLabel = "SOCKET",
            description =
                    "tells the devices that no pod holds (default: pod-resources/kubelet.sock in the state directory)")
    private Optional<Path> socket = Optional.empty();

    @Option(
            names = "--pod",
            paramLabel = "FILE",
            description =
                    "output of kubectl get pod NAME -o yaml: the pod on which the kubelet decided last. Record before "
                            + "pods come or go")
    private Optional<Path> pod = Optional.empty();

    @Option(
            names = "--resource-slices",
            paramLabel = "FILE",
            description =
                    "output of kubectl get resourceslices --field-selector spec.nodeName=NODE -o yaml: devices of Dynamic "
                            + "Resource Allocation")
    private Optional<Path> slices = Optional.empty();

    @Option(names = "--keep-names", description = "do not hash names and device ids")
    private boolean keepNames;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE.zip",
            description = "the archive (default: ${DEFAULT-VALUE})")
    private Path output = Path.of("numaledger-recording.zip");

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() {
        try {
            Recording.requireWritable(output);
            RecordedNode node = read();
            Recording recording = node.recording();
            NodeSpecYaml.parse(recording.nodes());
            recording.write(output);
            print(node);
            return 0;
        } catch (IOException
                | PodResourcesException
                | NodeSpecException
                | StartupRefusedException
                | IllegalArgumentException e) {
            command.commandLine().getErr().println(e.getMessage());
            return 1;
        }
    }

    private RecordedNode read() throws IOException, PodResourcesException {
        ProbeResult probed = sysfs.probe().probe();
        probed.warnings().forEach(this::warn);
        RecordedNode.notSimulated(probed.topology()).forEach(this::warn);
        Optional<DecidedPod> decided =
                pod.isPresent() ? Optional.of(DecidedPod.read(yaml(pod.get()))) : Optional.empty();
        return new RecordedNode(
                probed.topology(),
                new RecordedKubelet("1." + KubeletVersion.parse(version).minor(), yaml(config)),
                allocatable(),
                new RecordedDrivers(
                        slices(), new PciBus(new SysfsReader(), sysfs.sysfsRoot(), probed.topology()).numaNodes()),
                new KubeletStateFiles(state).read().byPod(),
                decided,
                keepNames ? Names.kept() : Names.hashed());
    }

    private static JsonNode yaml(Path file) throws IOException {
        try {
            return YAML.readTree(Files.readString(file));
        } catch (JsonProcessingException e) {
            throw new IOException(
                    "not YAML: file=%s %s; give the file as the kubelet reads it, or as kubectl prints it"
                            .formatted(file, TextErrors.describe(e)),
                    e);
        } catch (NoSuchFileException e) {
            throw new IOException("cannot read a file: file=%s does not exist; check the path".formatted(file), e);
        } catch (IOException e) {
            throw new IOException(
                    "cannot read a file: file=%s: %s; give a readable YAML file".formatted(file, e.getMessage()), e);
        }
    }

    private List<ResourceSlice> slices() throws IOException {
        return slices.isPresent()
                ? ClusterDump.parse(yaml(slices.get()).toString()).devices().slices()
                : List.of();
    }

    private List<DeviceAllocation> allocatable() throws PodResourcesException {
        Path path = socket.orElse(state.resolve("pod-resources").resolve("kubelet.sock"));
        if (socket.isEmpty() && !Files.exists(path)) {
            warn("devices that no pod holds are not recorded: socket=%s does not exist; give --podresources-socket"
                    .formatted(path));
            return List.of();
        }
        try (PodResourcesClient client = new PodResourcesClient(path, PodResourcesClient.DEADLINE, this::warn)) {
            return client.allocatable().devices();
        }
    }

    private void warn(String sentence) {
        command.commandLine().getErr().println(sentence);
    }

    private void print(RecordedNode node) {
        PrintWriter out = command.commandLine().getOut();
        out.printf(
                "recorded: file=%s numaNodes=%d cpus=%d pods=%d decision=%s%n",
                output,
                node.machine().numaNodes().size(),
                node.machine().onlineCpus().size(),
                node.held().size(),
                node.decided().isPresent() ? "yes" : "no");
        out.printf("  ./numaledger sim up --nodes %s%n", output);
        out.printf("  ./numaledger sim replay %s%n", output);
        out.flush();
    }
}
