package io.numaledger.simulator.rehearsal;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** The commands that have a running cluster carry out a request. */
public final class RequestCommands {

    private static final String EXIT_STATUS = "Exit status: 0 done; 1 not done; 2 wrong arguments.";
    private static final String NODE = "name of the node; see sim status";
    private static final String RESOURCE = "resource name of the device plugin, such as nvidia.com/gpu";
    private static final String DEVICE = "id of the device, such as gpu-0";
    private static final String DRIVER = "name of the driver, such as gpu.example.com";

    private RequestCommands() {}

    /** The subcommand of this name. */
    public static Method named(String name) {
        return CommandLine.getCommandMethods(RequestCommands.class, null).stream()
                .filter(method -> method.getAnnotation(Command.class).name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** What an upgrade or a crash of the kubelet does. */
    @Command(
            name = ClusterRequests.RESTART_KUBELET,
            description =
                    "Restarts the kubelet of a node over the state that it left; returns when the node is Ready again.",
            footer = {"The pods of the node keep running.", EXIT_STATUS},
            mixinStandardHelpOptions = true)
    static int restartKubelet(
            @Mixin RunningCluster cluster,
            @Parameters(index = "0", paramLabel = "NODE", description = NODE) String node)
            throws IOException {
        return cluster.ask(List.of(ClusterRequests.RESTART_KUBELET, node));
    }

    /** A broken GPU. */
    @Command(
            name = ClusterRequests.FAIL_DEVICE,
            description =
                    "Makes a device unhealthy, as its device plugin reports it to the kubelet; returns when the node has one device less.",
            footer = {"A pod that has the device keeps running. sim repair-device makes it healthy again.", EXIT_STATUS
            },
            mixinStandardHelpOptions = true)
    static int failDevice(
            @Mixin RunningCluster cluster,
            @Parameters(index = "0", paramLabel = "NODE", description = NODE) String node,
            @Parameters(index = "1", paramLabel = "RESOURCE", description = RESOURCE) String resource,
            @Parameters(index = "2", paramLabel = "DEVICE", description = DEVICE) String device,
            @Option(
                            names = "--gone",
                            description =
                                    "the device plugin no longer lists the device, instead of listing it as unhealthy")
                    boolean gone)
            throws IOException {
        String verb = gone ? ClusterRequests.REMOVE_DEVICE : ClusterRequests.FAIL_DEVICE;
        return cluster.ask(List.of(verb, node, resource, device));
    }

    /** A GPU that works again. */
    @Command(
            name = ClusterRequests.REPAIR_DEVICE,
            description = "Makes a device healthy again after sim fail-device; returns when the node has it.",
            footer = EXIT_STATUS,
            mixinStandardHelpOptions = true)
    static int repairDevice(
            @Mixin RunningCluster cluster,
            @Parameters(index = "0", paramLabel = "NODE", description = NODE) String node,
            @Parameters(index = "1", paramLabel = "RESOURCE", description = RESOURCE) String resource,
            @Parameters(index = "2", paramLabel = "DEVICE", description = DEVICE) String device)
            throws IOException {
        return cluster.ask(List.of(ClusterRequests.REPAIR_DEVICE, node, resource, device));
    }

    /** A device plugin that is installed later. */
    @Command(
            name = ClusterRequests.ADD_PLUGIN,
            description =
                    "Starts a further device plugin on a node, which registers with the running kubelet; returns when the node has its devices.",
            footer = {
                "Example: 4 devices on NUMA node 0 and 2 on NUMA node 1:",
                "  sim add-plugin gpu-1 example.com/nic 0=4 1=2",
                "Their ids are nic-0, nic-1, ... " + EXIT_STATUS
            },
            mixinStandardHelpOptions = true)
    static int addPlugin(
            @Mixin RunningCluster cluster,
            @Parameters(index = "0", paramLabel = "NODE", description = NODE) String node,
            @Parameters(
                            index = "1",
                            paramLabel = "RESOURCE",
                            description = "resource name of the devices, such as example.com/nic")
                    String resource,
            @Parameters(
                            index = "2..*",
                            paramLabel = "NUMA-NODE=COUNT",
                            arity = "1..*",
                            description = "number of devices on each NUMA node")
                    List<String> devices)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(ClusterRequests.ADD_PLUGIN, node, resource));
        words.addAll(devices);
        return cluster.ask(words);
    }

    /** A DRA driver that goes away. */
    @Command(
            name = ClusterRequests.STOP_DRIVER,
            description = "Stops a DRA driver; the kubelet deletes its ResourceSlices half a minute later.",
            footer = {
                "Allocations of its devices stay, and pods that have them keep running. sim start-driver starts it again.",
                EXIT_STATUS
            },
            mixinStandardHelpOptions = true)
    static int stopDriver(
            @Mixin RunningCluster cluster,
            @Parameters(index = "0", paramLabel = "NODE", description = NODE) String node,
            @Parameters(index = "1", paramLabel = "DRIVER", description = DRIVER) String driver)
            throws IOException {
        return cluster.ask(List.of(ClusterRequests.STOP_DRIVER, node, driver));
    }

    /** A DRA driver that is back, or comes at last. */
    @Command(
            name = ClusterRequests.START_DRIVER,
            description =
                    "Starts a DRA driver after sim stop-driver or before its delay is over; returns when its devices are published.",
            footer = EXIT_STATUS,
            mixinStandardHelpOptions = true)
    static int startDriver(
            @Mixin RunningCluster cluster,
            @Parameters(index = "0", paramLabel = "NODE", description = NODE) String node,
            @Parameters(index = "1", paramLabel = "DRIVER", description = DRIVER) String driver)
            throws IOException {
        return cluster.ask(List.of(ClusterRequests.START_DRIVER, node, driver));
    }

    /** An image that a node can pull. */
    @Command(
            name = ClusterRequests.ADD_IMAGE,
            description =
                    "Gives an image to all nodes, so that pods with it start. Its containers are records only: nothing runs.",
            footer = {
                "Nodes have images whose names are one word (busybox), those of registry.k8s.io, and registry.example.com/NAME.",
                "Pulling another one fails. See sim up --load-image for containers that run.",
                EXIT_STATUS
            },
            mixinStandardHelpOptions = true)
    static int addImage(
            @Mixin RunningCluster cluster,
            @Parameters(index = "0", paramLabel = "IMAGE", description = "name of the image; without a tag: all tags")
                    String image)
            throws IOException {
        return cluster.ask(List.of(ClusterRequests.ADD_IMAGE, image));
    }
}
