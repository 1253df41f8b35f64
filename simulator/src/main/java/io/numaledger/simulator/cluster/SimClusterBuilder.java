package io.numaledger.simulator.cluster;

import io.numaledger.simulator.container.ContainerImage;
import io.numaledger.simulator.container.ImageArchive;
import io.numaledger.simulator.hardware.NodeSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** What a simulated cluster is to be, and its start. All but the binaries has a default. */
public final class SimClusterBuilder {

    private static final Path INOTIFY_INSTANCES = Path.of("/proc/sys/fs/inotify/max_user_instances");
    private static final int ENOUGH_INOTIFY_INSTANCES = 1024;

    private final KubeBinaries binaries;
    private List<NodeSpec> nodes = List.of();
    private Optional<Path> directory = Optional.empty();
    private ControlPlane.Options options = ControlPlane.Options.DEFAULTS;
    private List<ContainerImage> images = List.of();
    private List<ImageArchive> archives = List.of();
    private Optional<Function<ClusterCertificates, String>> schedulerOfApi = Optional.empty();
    private Consumer<String> steps = step -> {};
    private Consumer<SimCluster> prepare = cluster -> {};

    SimClusterBuilder(KubeBinaries binaries) {
        this.binaries = binaries;
    }

    public SimClusterBuilder nodes(List<NodeSpec> specs) {
        nodes = List.copyOf(specs);
        return this;
    }

    /** A directory of its own; by default a new one of a random name. */
    public SimClusterBuilder directory(Path path) {
        directory = Optional.of(path);
        return this;
    }

    public SimClusterBuilder apiServerArguments(List<String> arguments) {
        options = options.withApiServerArguments(arguments);
        return this;
    }

    /** Such as {@code GenericWorkload=true}, for API server, controller manager and scheduler. */
    public SimClusterBuilder featureGates(List<String> gates) {
        options = options.withFeatureGates(gates);
        return this;
    }

    /** A part of a KubeSchedulerConfiguration, such as {@code extenders}, that is added to the default one. */
    public SimClusterBuilder schedulerConfiguration(String yaml) {
        options = options.withSchedulerConfiguration(yaml);
        return this;
    }

    /**
     * The API server passes requests on to other APIs.
     *
     * @param configuration a part of a KubeSchedulerConfiguration that may name certificates of the cluster's authority
     */
    public SimClusterBuilder aggregation(Function<ClusterCertificates, String> configuration) {
        schedulerOfApi = Optional.of(configuration);
        return this;
    }

    /** @param listener hears of each step of the start, when it begins */
    public SimClusterBuilder steps(Consumer<String> listener) {
        steps = listener;
        return this;
    }

    /** @param change what is done when all nodes are Ready, before anything else is started */
    public SimClusterBuilder prepared(Consumer<SimCluster> change) {
        prepare = change;
        return this;
    }

    /**
     * Images whose containers run, and reach each other and Services over a network. kube-scheduler's image, of this cluster's
     * binaries, runs then, too. All other containers are records only.
     */
    public SimClusterBuilder images(List<ContainerImage> running) {
        images = List.copyOf(running);
        return this;
    }

    /** As {@link #images}, with images that are still packed. */
    public SimClusterBuilder archives(List<ImageArchive> packed) {
        archives = List.copyOf(packed);
        return this;
    }

    /**
     * Starts the cluster, and returns when all nodes are Ready.
     *
     * @throws SimClusterException when this is impossible here, or something does not come up
     */
    public SimCluster start() {
        SimCluster.requireRoot();
        allowInotifyInstances();
        ClusterDirectory place = directory.map(ClusterDirectory::claim).orElseGet(ClusterDirectory::create);
        SimCluster cluster = new SimCluster(place, binaries);
        try {
            List<ContainerImage> running = unpacked(place.path());
            steps.accept("API server, controllers and scheduler");
            ControlPlane.Options all = schedulerOfApi
                    .map(configuration -> cluster.aggregating(options, configuration))
                    .orElse(options);
            if (running.isEmpty()) {
                cluster.startControlPlane(all);
            } else {
                cluster.startWithContainers(all, running);
            }
            steps.accept(nodes.size() == 1 ? "1 kubelet" : nodes.size() + " kubelets");
            cluster.addNodes(nodes);
            prepare.accept(cluster);
            return cluster;
        } catch (RuntimeException failure) {
            cluster.closeAndKeepFiles();
            throw failure;
        }
    }

    private List<ContainerImage> unpacked(Path place) {
        List<ContainerImage> all = new ArrayList<>(images);
        if (!archives.isEmpty()) {
            steps.accept("images");
        }
        for (ImageArchive archive : archives) {
            all.add(archive.unpack(place.resolve("images/" + all.size())));
        }
        return all;
    }

    /** A kubelet takes several and ends without them. The kernel's default is 128 for all processes of a user. */
    private static void allowInotifyInstances() {
        try {
            if (Integer.parseInt(Files.readString(INOTIFY_INSTANCES).strip()) < ENOUGH_INOTIFY_INSTANCES) {
                Files.writeString(INOTIFY_INSTANCES, String.valueOf(ENOUGH_INOTIFY_INSTANCES));
            }
        } catch (IOException unchanged) {
            return; // the log of a kubelet that lacks them says so
        }
    }
}
