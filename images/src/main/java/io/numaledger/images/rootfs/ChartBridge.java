package io.numaledger.images.rootfs;

import io.numaledger.apiservers.real.FreePort;
import io.numaledger.bridge.certificate.IssuedCertificates;
import io.numaledger.bridge.cli.SchedulerConfig.TlsFiles;
import io.numaledger.simulator.cluster.ClusterCertificates;
import io.numaledger.simulator.cluster.ClusterCertificates.KeyFiles;
import io.numaledger.tls.ReloadableKeys;
import io.numaledger.tls.TrustedAuthority;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * How the chart runs a bridge, and how a scheduler calls it: HTTPS, client certificates, a Lease, and the aggregated API.
 *
 * @param arguments those in the chart's Deployment with the default values, but for addresses, and for the files of certificates that
 *     others have issued
 * @param url where schedulers call it
 * @param metricsPort where it serves probes and metrics
 * @param files with which a scheduler calls it
 */
public record ChartBridge(List<String> arguments, String url, int metricsPort, TlsFiles files) {

    /** The image sizes the heap by the memory of the container: this flag sizes it as the chart's limit does. */
    public static final String MEMORY_LIMIT = "-XX:MaxRAM=1536m";

    private static final String SERVICE = "numaledger-bridge";

    public ChartBridge {
        arguments = List.copyOf(arguments);
    }

    /** The Java flags of the image, with the heap that the chart's limit gives. */
    public static List<String> javaFlags() throws IOException {
        return Stream.concat(Stream.of(MEMORY_LIMIT), ImageFlags.bridge().stream())
                .toList();
    }

    /**
     * A bridge on free ports of this machine.
     *
     * @param directory gets the certificates
     * @param at where the bridge finds the directory
     */
    public static ChartBridge local(Path directory, String at) {
        ClusterCertificates issued = new ClusterCertificates(directory);
        issued.server(SERVICE, List.of(SERVICE), "127.0.0.1");
        KeyFiles client = issued.client(IssuedCertificates.CLIENT_NAME);
        int port = FreePort.next();
        int metricsPort = FreePort.next();
        return new ChartBridge(
                arguments(port, metricsPort, at),
                "https://127.0.0.1:" + port,
                metricsPort,
                new TlsFiles(issued.authority(), client.certificate(), client.key()));
    }

    static List<String> arguments(int port, int metricsPort, String directory) {
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

    /** For calls as a scheduler. */
    public SSLContext client() throws IOException {
        TrustedAuthority authority = new TrustedAuthority("file=" + files.ca(), () -> Files.readString(files.ca()));
        return ReloadableKeys.read(files.certificate(), files.key()).clientContext(authority.serverNamed(SERVICE));
    }
}
