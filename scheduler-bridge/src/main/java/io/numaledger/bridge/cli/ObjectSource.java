package io.numaledger.bridge.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.api.RemoteBridge;
import io.numaledger.bridge.api.Zones;
import io.numaledger.bridge.objects.ClusterDump;
import io.numaledger.bridge.objects.ClusterObjects;
import io.numaledger.bridge.watch.ClusterReader;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The source of the objects: a dump, a cluster, or a bridge. */
final class ObjectSource {

    @Mixin
    private SnapshotOptions snapshots;

    @Option(
            names = "--dump",
            paramLabel = "FILE",
            description =
                    "read Nodes, NodeResourceTopologies and Pods from this file, as kubectl get -o yaml or -o json prints them")
    private Optional<Path> dump = Optional.empty();

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig of the cluster to read (default: as kubectl finds it, or the service account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(names = "--url", paramLabel = "URL", description = "ask the bridge at this address instead")
    private Optional<String> url = Optional.empty();

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description = "CA bundle for the certificate of the bridge at --url, PEM (default: the system's CAs)")
    private Optional<Path> ca = Optional.empty();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "token with which the bridge at --url authenticates the caller, as kubectl create token prints it")
    private Optional<Path> token = Optional.empty();

    /** @throws IOException if the source, the CA file or the token cannot be used */
    Zones zones() throws IOException {
        if (url.isPresent()) {
            Optional<String> text = token.isPresent()
                    ? Optional.of(Files.readString(token.get()).strip())
                    : Optional.empty();
            return new RemoteBridge(url.get(), ca, text);
        }
        return new EvaluatedZones(read(), snapshots.settings());
    }

    private ClusterObjects read() throws IOException {
        if (dump.isPresent()) {
            return ClusterDump.read(dump.get());
        }
        ClusterReader.requireApiServer(kubeconfig);
        try (KubernetesClient client = ClusterReader.client(kubeconfig)) {
            return ClusterReader.read(client);
        }
    }
}
