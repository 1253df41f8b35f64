package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.numaledger.bridge.client.Pages;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.objects.ObjectReader;
import io.numaledger.objects.PodObject;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads a cluster's objects once. */
public final class ClusterReader {

    private static final int FIRST_ANSWER_MS = 5_000;

    /** The time for a page of a list, until its last byte. A page that takes longer is read again. */
    private static final int PAGE_MS = 60_000;

    /** The client doubles it five times: after an outage of the API server, a watch goes on within five seconds. */
    private static final int FIRST_RECONNECT_MS = 150;

    private ClusterReader() {}

    /**
     * A client of the cluster. It reads Pods and NodeResourceTopologies of watch events as the bridge's types, which lack what the bridge does not
     * need: informers of the client's own Pod type want another client.
     *
     * @param kubeconfig absent: as kubectl finds it, or the service account of the pod
     * @throws IOException naming the kubeconfig, if it cannot be used
     */
    public static KubernetesClient client(Optional<Path> kubeconfig) throws IOException {
        return new KubernetesClientBuilder()
                .withConfig(config(kubeconfig))
                .withKubernetesSerialization(new WatchSerialization())
                .withTaskExecutorSupplier(WatchThreads.supplier())
                .build();
    }

    /** A client with more time for each request: a page of a list may be large, and the API server slow. It is closed with the given client. */
    public static KubernetesClient forLists(KubernetesClient client) {
        return client.newClient(
                        new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
                                .withRequestTimeout(PAGE_MS)
                                .build())
                .adapt(KubernetesClient.class);
    }

    /**
     * A client with a limit on the time of each request, and no repetitions: whoever calls decides about these. It is closed with the given client.
     */
    public static KubernetesClient withoutRetries(KubernetesClient client, Duration limit) {
        return client.newClient(
                        new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
                                .withRequestTimeout((int) limit.toMillis())
                                .withRequestRetryBackoffLimit(0)
                                .build())
                .adapt(KubernetesClient.class);
    }

    private static Config config(Optional<Path> kubeconfig) throws IOException {
        try {
            Config config = kubeconfig.isPresent()
                    ? Config.fromKubeconfig(kubeconfig.get().toFile())
                    : Config.autoConfigure(null);
            if (config.getMasterUrl().startsWith(Config.DEFAULT_MASTER_URL)) { // also in a pod it is an address
                throw new IOException("no kubeconfig: set KUBECONFIG, or give one with --kubeconfig");
            }
            config.setWatchReconnectInterval(FIRST_RECONNECT_MS);
            return config;
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot use the kubeconfig: file=%s: it is missing, or not a kubeconfig; give one with --kubeconfig"
                            .formatted(kubeconfig.map(Path::toString).orElse("-")),
                    e);
        }
    }

    /**
     * Asks the API server for its version: later requests may take longer, and are repeated.
     *
     * @throws IOException naming the API server, if it gives no answer within a few seconds
     */
    public static void requireApiServer(Optional<Path> kubeconfig) throws IOException {
        Config config = new ConfigBuilder(config(kubeconfig))
                .withRequestRetryBackoffLimit(0)
                .withConnectionTimeout(FIRST_ANSWER_MS)
                .withRequestTimeout(FIRST_ANSWER_MS)
                .build();
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            client.getKubernetesVersion();
        } catch (KubernetesClientException e) {
            boolean answered = e.getCode() > 0;
            if (!answered) {
                throw new IOException(
                        "the API server cannot be reached: url=%s: %s; check the address, and that it runs"
                                .formatted(config.getMasterUrl(), Failures.reason(e)),
                        e);
            }
        }
    }

    /** @throws IOException naming the cluster, if it cannot be read */
    public static ClusterObjects read(KubernetesClient client) throws IOException {
        ObjectReader reader = ObjectReader.keepingConstraints();
        try {
            KubernetesClient lists = forLists(client);
            SortedMap<String, NodeFacts> nodes = new TreeMap<>();
            for (Node node : Pages.all(lists.nodes())) {
                nodes.put(node.getMetadata().getName(), reader.node(node));
            }
            SortedMap<String, NodeTopology> topologies = new TreeMap<>();
            for (TopologyObject topology : Pages.all(lists.resources(TopologyObject.class))) {
                topologies.put(topology.getMetadata().getName(), topology.topology());
            }
            List<PodFacts> pods = Pages.all(lists.resources(PodObject.class).inAnyNamespace()).stream()
                    .map((PodObject pod) -> reader.pod(pod))
                    .toList();
            return new ClusterObjects(nodes, topologies, pods);
        } catch (KubernetesClientException e) {
            throw new IOException(
                    "cannot read the cluster: url=%s: %s; check --kubeconfig, and the right to list nodes, pods and noderesourcetopologies"
                            .formatted(client.getMasterUrl(), Failures.reason(e)),
                    e);
        }
    }
}
