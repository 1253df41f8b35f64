package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.access.SchedulerAccess;
import io.numaledger.bridge.certificate.CertificateRenewal;
import io.numaledger.bridge.certificate.IssuedCertificates;
import io.numaledger.tls.ReloadableKeys;
import io.numaledger.tls.TrustedAuthority;
import picocli.CommandLine.Option;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/**
 * Who may call the bridge.
 *
 * @param keys of the server
 * @param schedulers absent: everybody may call the extender verbs
 * @param aggregated whether the API server passes requests on
 * @param replicas believes other replicas, and is believed by them; absent: there is one replica
 */
record Security(
        ReloadableKeys keys, Optional<SchedulerAccess> schedulers, boolean aggregated, Optional<SSLContext> replicas) {

    /** Insecure settings need a flag that says so. */
    static final class Options {

        @Option(
                names = "--insecure-http",
                description = "serve plain HTTP; every client that can reach the port can bind pods")
        private boolean insecure;

        @Option(
                names = "--tls-cert",
                paramLabel = "FILE",
                description = "server certificate, PEM; reloaded when it changes")
        private Optional<Path> certificate = Optional.empty();

        @Option(
                names = "--tls-key",
                paramLabel = "FILE",
                description = "private key, PEM, not encrypted; reloaded when it changes")
        private Optional<Path> key = Optional.empty();

        @Option(
                names = "--client-ca",
                paramLabel = "FILE",
                description =
                        "CA bundle, PEM; schedulers need a client certificate that it signed; reloaded when it changes")
        private Optional<Path> clientCa = Optional.empty();

        @Option(
                names = "--client-names",
                split = ",",
                paramLabel = "NAME",
                description = "common names of the schedulers' client certificates (default: ${DEFAULT-VALUE})")
        private Set<String> clientNames = Set.of(IssuedCertificates.CLIENT_NAME);

        @Option(
                names = "--insecure-skip-client-auth",
                description = "serve the extender verbs to every client that can reach the port: it can bind pods")
        private boolean anyClient;

        @Option(
                names = "--issue-certificates",
                paramLabel = "SERVICE",
                description =
                        "issue the certificates of this Service and of the scheduler, and keep them in the Secrets SERVICE-ca and SERVICE-client")
        private Optional<String> issueFor = Optional.empty();

        @Option(
                names = "--aggregated-api",
                description = "serve the API group numaledger.io to the API server, which passes users' requests on")
        private boolean aggregated;

        void check() {
            if (insecure || issues()) {
                return;
            }
            if (certificate.isEmpty() || key.isEmpty()) {
                throw new IllegalArgumentException(
                        "--tls-cert and --tls-key are missing; set both, or --issue-certificates, or --insecure-http if no other client can reach the port");
            }
            if (clientCa.isEmpty() && !anyClient) {
                throw new IllegalArgumentException(
                        "--client-ca is missing; set it, or --insecure-skip-client-auth if no other client can reach the port");
            }
        }

        /** Whether callers are told apart by their certificates. */
        boolean knowsClients() {
            return !insecure && !anyClient;
        }

        /** Whether the bridge issues certificates. */
        boolean issues() {
            return issueFor.isPresent();
        }

        boolean servesApi() {
            return aggregated && !insecure;
        }

        /** @throws IOException if they cannot be issued */
        CertificateRenewal certificates(KubernetesClient client) throws IOException {
            return issues()
                    ? CertificateRenewal.start(new IssuedCertificates(
                            client,
                            issueFor.get(),
                            Files.createTempDirectory("certificates"),
                            aggregated,
                            InstantSource.system()))
                    : CertificateRenewal.none();
        }

        /**
         * Reads the files; absent with plain HTTP.
         *
         * @param elect whether there are other replicas
         */
        Optional<Security> read(CertificateRenewal renewal, boolean elect) throws IOException {
            if (insecure) {
                return Optional.empty();
            }
            Optional<IssuedCertificates> issued = renewal.certificates();
            ReloadableKeys keys = ReloadableKeys.read(
                    issued.map(IssuedCertificates::certificate)
                            .or(() -> certificate)
                            .orElseThrow(),
                    issued.map(IssuedCertificates::key).or(() -> key).orElseThrow());
            if (anyClient) {
                return Optional.of(new Security(keys, Optional.empty(), aggregated, Optional.empty()));
            }
            Path ca =
                    clientCa.or(() -> issued.map(IssuedCertificates::authority)).orElseThrow();
            TrustedAuthority authority = new TrustedAuthority("file=" + ca, () -> Files.readString(ca));
            Optional<String> own = keys.commonName().filter(any -> elect);
            if (elect && own.isEmpty()) {
                throw new IOException("the certificate has no common name; replicas recognise each other by it");
            }
            return Optional.of(new Security(
                    keys,
                    Optional.of(new SchedulerAccess(authority, clientNames, own)),
                    aggregated,
                    own.map(name -> keys.clientContext(authority.serverNamed(name)))));
        }
    }
}
