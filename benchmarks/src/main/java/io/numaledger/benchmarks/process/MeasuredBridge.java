package io.numaledger.benchmarks.process;

import io.numaledger.bridge.BridgeMain;
import io.numaledger.bridge.certificate.IssuedCertificates;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.cli.SchedulerConfig.TlsFiles;
import io.numaledger.images.rootfs.ContainedProgram;
import io.numaledger.realapiserver.FreePort;
import io.numaledger.simulator.cluster.ClusterCertificates;
import io.numaledger.simulator.cluster.ClusterCertificates.KeyFiles;
import io.numaledger.tls.ReloadableKeys;
import io.numaledger.tls.TrustedAuthority;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A bridge as a process of its own with the flags of the chart: HTTPS, client certificates, a Lease, and the aggregated API.
 *
 * @param url where schedulers call it
 * @param files with which a scheduler calls it
 */
public record MeasuredBridge(MeasuredProcess process, String url, TlsFiles files) implements AutoCloseable {

    private static final String SERVICE = "numaledger-bridge";

    /**
     * Starts it. The log and the certificates are beside the kubeconfig.
     *
     * @param root a root file system that {@code ./numaledger rootfs} made; empty: this build's classes and this Java
     * @param javaFlags not for a root file system, which has its own
     * @param flags of {@code bridge run}, beside those of the chart
     */
    public static MeasuredBridge start(
            Optional<Path> root, List<String> javaFlags, Path kubeconfig, List<String> flags) {
        Path directory = requireNonNull(kubeconfig.getParent());
        ClusterCertificates issued = new ClusterCertificates(directory);
        issued.server(SERVICE, List.of(SERVICE), "127.0.0.1");
        KeyFiles client = issued.client(IssuedCertificates.CLIENT_NAME);
        int port = FreePort.next();
        int metricsPort = FreePort.next();
        String at = root.isPresent() ? ContainedProgram.ACCOUNT : directory.toString();
        List<String> arguments = new ArrayList<>(flags(port, metricsPort, at));
        arguments.add("--kubeconfig=%s/%s".formatted(at, kubeconfig.getFileName()));
        arguments.addAll(flags);
        return new MeasuredBridge(
                root.isPresent()
                        ? MeasuredProcess.contained(
                                "bridge",
                                directory,
                                new ContainedProgram(root.get()).mount(directory, at),
                                "@/bridge.args",
                                arguments,
                                metricsPort)
                        : MeasuredProcess.ofClasses(
                                "bridge", directory, javaFlags, BridgeMain.class, arguments, metricsPort),
                "https://127.0.0.1:" + port,
                new TlsFiles(issued.authority(), client.certificate(), client.key()));
    }

    /**
     * The arguments in the chart's Deployment with the default values, but for addresses, and for the files of certificates that others
     * have issued.
     */
    static List<String> flags(int port, int metricsPort, String directory) {
        return List.of(
                "run",
                "--listen=127.0.0.1:" + port,
                "--metrics-listen=127.0.0.1:" + metricsPort,
                "--tls-cert=%s/%s.crt".formatted(directory, SERVICE),
                "--tls-key=%s/%s.key".formatted(directory, SERVICE),
                "--client-ca=%s/cluster-ca.crt".formatted(directory),
                "--leader-elect",
                "--lease-name=" + SERVICE,
                "--advertise-address=127.0.0.1:" + port,
                "--client-names=" + IssuedCertificates.CLIENT_NAME,
                "--aggregated-api",
                "--scheduler-names=default-scheduler,numaledger");
    }

    /** The configuration of a scheduler that calls it. */
    public String schedulerConfiguration(Path kubeconfig) {
        return SchedulerConfig.text(url, "default-scheduler", Optional.of(kubeconfig), Optional.of(files), false);
    }

    /** For calls as a scheduler. */
    public SSLContext client() throws IOException {
        TrustedAuthority authority = new TrustedAuthority("file=" + files.ca(), () -> Files.readString(files.ca()));
        return ReloadableKeys.read(files.certificate(), files.key()).clientContext(authority.serverNamed(SERVICE));
    }

    @Override
    public void close() {
        process.close();
    }
}
