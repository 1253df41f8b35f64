package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.simulator.container.ClusterContainers;
import io.numaledger.simulator.container.ContainerImage;
import io.numaledger.simulator.container.PodNetwork;
import io.numaledger.simulator.cri.NodeImages;
import io.numaledger.simulator.dra.DriverObjects;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.text.NearNames;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A real Kubernetes: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and a real kubelet for each node, which
 * believes that it sits on the node's hardware. Everything is a child of this process and lies in one directory; both go when
 * the cluster is closed, and the children also when this process is killed.
 */
public final class SimCluster implements AutoCloseable {

    private final ClusterDirectory directory;
    private final KubeBinaries binaries;
    private final NodeImages images = new NodeImages();
    private final ClusterCgroups cgroups = ClusterCgroups.create();
    private final List<SimNode> nodes = new CopyOnWriteArrayList<>();
    private Optional<ControlPlane> controlPlane = Optional.empty();
    private Optional<KubernetesClient> client = Optional.empty();
    private Optional<Journal> journal = Optional.empty();
    private Optional<ClusterContainers> containers = Optional.empty();
    private Optional<ClusterCertificates> certificates = Optional.empty();

    SimCluster(ClusterDirectory directory, KubeBinaries binaries) {
        this.directory = directory;
        this.binaries = binaries;
    }

    public static SimClusterBuilder builder(KubeBinaries binaries) {
        return new SimClusterBuilder(binaries);
    }

    /**
     * Refuses where no simulated kubelet can run.
     *
     * @throws SimClusterException saying what is missing
     */
    public static void requireRoot() {
        try {
            if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
                throw new SimClusterException(
                        "real kubelets need root, for the mounts that show them the simulated hardware: user=%s; run as root"
                                .formatted(System.getProperty("user.name")));
            }
        } catch (IOException | UnsupportedOperationException cause) {
            throw new SimClusterException(
                    "real kubelets need Linux: os=%s; run there".formatted(System.getProperty("os.name")), cause);
        }
    }

    /** Why kubelets have no cgroups here, so that they end when they resize a pod in place; absent: they have. */
    public static Optional<String> cgroupObstacle() {
        try (ClusterCgroups cgroups = ClusterCgroups.create()) {
            return cgroups.obstacle();
        }
    }

    /** Its certificates, if it has any. */
    private ClusterCertificates issue() {
        ClusterCertificates issued = certificates.orElseGet(() -> new ClusterCertificates(directory.path()));
        certificates = Optional.of(issued);
        return issued;
    }

    ControlPlane.Options aggregating(
            ControlPlane.Options options, Function<ClusterCertificates, String> configuration) {
        ClusterCertificates issued = issue();
        List<String> arguments = new ArrayList<>(options.apiServerArguments());
        arguments.addAll(issued.frontProxyArguments());
        return options.withApiServerArguments(arguments).withSchedulerConfiguration(configuration.apply(issued));
    }

    void startControlPlane(ControlPlane.Options options) {
        controlPlane = Optional.of(ControlPlane.start(binaries, directory.path(), options));
        client = Optional.of(clientOf(kubeconfig()));
        journal = Optional.of(Journal.follow(client(), this::directories));
    }

    void startWithContainers(ControlPlane.Options options, List<ContainerImage> images) {
        PodNetwork network = PodNetwork.create();
        try {
            List<String> arguments = new ArrayList<>(options.apiServerArguments());
            arguments.add("--service-cluster-ip-range=" + network.serviceRange());
            arguments.add("--kubelet-preferred-address-types=InternalIP");
            boolean aggregates = certificates.isPresent();
            ClusterCertificates issued = issue();
            arguments.addAll(issued.kubeletArguments());
            if (!aggregates) {
                arguments.addAll(issued.frontProxyArguments());
            }
            startControlPlane(options.withApiServerArguments(arguments).withTrusted(issued.authority()));
            letApiServerCallKubelets();
            List<ContainerImage> all = new ArrayList<>(images);
            all.add(ContainerImage.ofProgram(
                    "registry.k8s.io/kube-scheduler",
                    binaries.of("kube-scheduler"),
                    directory.path().resolve("images/kube-scheduler")));
            containers = Optional.of(
                    ClusterContainers.start(all, network, client(), apiServer().url()));
        } finally {
            if (containers.isEmpty()) {
                network.close();
            }
        }
    }

    private void letApiServerCallKubelets() {
        client().resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(ClusterCertificates.KUBELET_CLIENT)
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "system:kubelet-api-admin")
                        .addNewSubject("rbac.authorization.k8s.io", "User", ClusterCertificates.KUBELET_CLIENT, null)
                        .build())
                .create();
    }

    static KubernetesClient clientOf(Path kubeconfig) {
        try {
            Config config = Config.fromKubeconfig(Files.readString(kubeconfig));
            return new KubernetesClientBuilder().withConfig(config).build();
        } catch (IOException cause) {
            throw new UncheckedIOException("cannot read a kubeconfig: file=%s; report it".formatted(kubeconfig), cause);
        }
    }

    /**
     * Adds nodes, and returns when they are Ready.
     *
     * @throws SimClusterException with the end of the kubelet's log, when one does not come up
     */
    public void addNodes(List<NodeSpec> specs) {
        NodeAccess access = new NodeAccess(
                binaries,
                kubeconfig(),
                client(),
                new PodSpecExitPolicy(client()),
                images,
                containers,
                containers.flatMap(running -> certificates),
                cgroups);
        List<SimNode> added = new ArrayList<>();
        for (NodeSpec spec : specs) {
            spec.draDrivers().forEach(driver -> DriverObjects.createDeviceClass(client(), driver));
            Path root = ClusterDirectory.nodes(directory.path()).resolve(spec.name());
            SimNode node = SimNode.start(spec.orKubeletVersion(binaries.version()), root, access);
            nodes.add(node);
            added.add(node);
        }
        added.forEach(this::awaitReady);
    }

    /** Waits until the API server has the node as Ready, with all of its healthy devices, and the ResourceSlices of DRA drivers. */
    public void awaitReady(SimNode node) {
        Wait.until("the node is Ready with all of its healthy devices: node=" + node.name())
                .log(node.kubeletLog())
                .ignoring(KubernetesClientException.class)
                .value(
                        () -> {
                            node.requireKubelet();
                            return state(node);
                        },
                        NodeReadiness.READY::equals);
    }

    /** Returns at once when the node is ready, and else after a second. */
    private String state(SimNode node) {
        Resource<Node> resource = client().nodes().withName(node.name());
        try {
            resource.waitUntilCondition(
                    found -> NodeReadiness.isReady(found, node.healthyDevices()), 1, TimeUnit.SECONDS);
            List<String> obstacles = node.draObstacles();
            return obstacles.isEmpty() ? NodeReadiness.READY : "without ResourceSlices: " + obstacles;
        } catch (KubernetesClientTimeoutException notYet) {
            return NodeReadiness.describe(resource.get(), node.healthyDevices());
        }
    }

    /** Where everything of this cluster lies. */
    public Path directory() {
        return directory.path();
    }

    /** A file by which kubectl or an agent reaches the cluster as its administrator. */
    public Path kubeconfig() {
        return ClusterDirectory.kubeconfig(directory.path());
    }

    public KubernetesClient client() {
        return client.orElseThrow();
    }

    /** Changes a Node although its kubelet may write it at the same time: a JSON merge patch. */
    public void patchNode(String node, String patch) {
        client().nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    public RealApiServer apiServer() {
        return controlPlane.orElseThrow().apiServer();
    }

    /** Ends the cluster's own scheduler, so that another process can take its place. */
    public void stopScheduler() {
        controlPlane.orElseThrow().stopScheduler();
    }

    /** Starts it again. */
    public void startScheduler() {
        controlPlane.orElseThrow().startScheduler();
    }

    public List<SimNode> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * The node of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public SimNode node(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such node: node=%s; expected one of %s%s"
                        .formatted(
                                name,
                                nodes.stream().map(SimNode::name).toList(),
                                NearNames.hint(
                                        name, nodes.stream().map(SimNode::name).toList()))));
    }

    /** What the nodes have beside the images whose containers run. */
    public NodeImages images() {
        return images;
    }

    private SortedMap<String, NodeDirectory> directories() {
        SortedMap<String, NodeDirectory> directories = new TreeMap<>();
        nodes.forEach(node -> directories.put(node.name(), node.directory()));
        return directories;
    }

    /** All pods since the start of the cluster, and what the kubelets decided on them. */
    public Journal journal() {
        return journal.orElseThrow();
    }

    /**
     * The certificates of a cluster with {@link SimClusterBuilder#aggregation}.
     *
     * @throws java.util.NoSuchElementException when it has none
     */
    public ClusterCertificates certificates() {
        return certificates.orElseThrow();
    }

    /** Ends all processes, etcd last, and deletes the directory. */
    @Override
    public void close() {
        closeAndKeepFiles();
        ClusterDirectory.remove(directory.path());
    }

    /** Ends all processes, and leaves the logs for who looks for what went wrong. The next cluster in the directory removes them. */
    public void closeAndKeepFiles() {
        journal.ifPresent(Journal::close);
        nodes.parallelStream().forEach(SimNode::close);
        cgroups.close();
        containers.ifPresent(ClusterContainers::close);
        client.ifPresent(KubernetesClient::close);
        controlPlane.ifPresent(ControlPlane::close);
    }
}
