package io.numaledger.simulator.cluster;

import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import io.numaledger.tls.Pem;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The certificates with which kubelets, the API server and aggregated APIs know each other, as in a cluster of kubeadm. */
public final class ClusterCertificates {

    /** The user as which the API server calls kubelets. */
    static final String KUBELET_CLIENT = "kube-apiserver-kubelet-client";

    private static final String FRONT_PROXY = "front-proxy-client";
    private static final Duration VALID = Duration.ofDays(365);

    /** A certificate and its key. */
    public record KeyFiles(Path certificate, Path key) {}

    private final Path directory;
    private final CertificateAuthority authority = CertificateAuthority.create("cluster-ca", Instant.now(), VALID);

    /** @param directory gets the files */
    public ClusterCertificates(Path directory) {
        this.directory = directory;
        write("cluster-ca.crt", Pem.of(List.of(authority.certificate())));
    }

    /** The authority of kubelets, of servers in the cluster, and of clients with certificates. */
    public Path authority() {
        return directory.resolve("cluster-ca.crt");
    }

    /** Writes a kubelet's certificate. */
    KeyFiles kubelet(String node, String address) {
        return server("kubelet-" + node, List.of(node), address);
    }

    /** Writes the certificate of a server. */
    public KeyFiles server(String file, List<String> names, String address) {
        return write(
                file, authority.issue(names.get(0), Purpose.SERVER, names, List.of(address), Instant.now(), VALID));
    }

    /** Writes the certificate of a client. */
    public KeyFiles client(String name) {
        return write(name, authority.issue(name, Purpose.CLIENT, List.of(), List.of(), Instant.now(), VALID));
    }

    /** Writes the certificates by which the API server and kubelets know each other. Returns the arguments that name them. */
    List<String> kubeletArguments() {
        KeyFiles client = client(KUBELET_CLIENT);
        return List.of(
                "--client-ca-file=" + authority(),
                "--kubelet-certificate-authority=" + authority(),
                "--kubelet-client-certificate=" + client.certificate(),
                "--kubelet-client-key=" + client.key());
    }

    /** Writes the certificates with which the API server passes requests on to other APIs. Returns the arguments that name them. */
    public List<String> frontProxyArguments() {
        CertificateAuthority proxies = CertificateAuthority.create("front-proxy-ca", Instant.now(), VALID);
        Path proxyAuthority = write("front-proxy-ca.crt", Pem.of(List.of(proxies.certificate())));
        KeyFiles proxy = write(
                FRONT_PROXY, proxies.issue(FRONT_PROXY, Purpose.CLIENT, List.of(), List.of(), Instant.now(), VALID));
        return List.of(
                "--requestheader-client-ca-file=" + proxyAuthority,
                "--requestheader-allowed-names=" + FRONT_PROXY,
                "--requestheader-username-headers=X-Remote-User",
                "--requestheader-group-headers=X-Remote-Group",
                "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                "--proxy-client-cert-file=" + proxy.certificate(),
                "--proxy-client-key-file=" + proxy.key());
    }

    private KeyFiles write(String name, Issued issued) {
        return new KeyFiles(
                write(name + ".crt", Pem.of(List.of(issued.certificate()))),
                write(name + ".key", Pem.of(issued.key())));
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot write certificates: directory=%s; check that it may be written".formatted(directory),
                    cause);
        }
    }
}
