package io.numaledger.e2e.bridge;

import io.numaledger.bridge.cli.SchedulerConfig.TlsFiles;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import io.numaledger.tls.Pem;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Certificates of a bridge on 127.0.0.1 and of the scheduler that calls it, signed by the same authority.
 *
 * @param scheduler for kube-scheduler
 * @param client a context that believes the bridge and is believed to be the scheduler
 */
record BridgeCertificates(Path certificate, Path key, TlsFiles scheduler, SSLContext client) {

    private static final Duration DAY = Duration.ofDays(1);
    private static final char[] PASSWORD = new char[0];

    /** @param directory gets the files */
    static BridgeCertificates make(Path directory) {
        Instant now = Instant.now();
        CertificateAuthority authority = CertificateAuthority.create("test", now, DAY);
        Issued server = authority.issue("bridge", Purpose.PEER, List.of(), List.of("127.0.0.1"), now, DAY);
        Issued scheduler = authority.issue("numaledger-scheduler", Purpose.CLIENT, List.of(), List.of(), now, DAY);
        try {
            Path client = Files.createDirectories(directory.resolve("scheduler"));
            TlsFiles files = TlsFiles.in(client);
            Files.writeString(files.ca(), Pem.of(List.of(authority.certificate())));
            Files.writeString(files.certificate(), Pem.of(List.of(scheduler.certificate())));
            Files.writeString(files.key(), Pem.of(scheduler.key()));
            return new BridgeCertificates(
                    Files.writeString(directory.resolve("tls.crt"), Pem.of(List.of(server.certificate()))),
                    Files.writeString(directory.resolve("tls.key"), Pem.of(server.key())),
                    files,
                    context(authority.certificate(), scheduler));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no TLS", e);
        }
    }

    private static SSLContext context(X509Certificate authority, Issued scheduler)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("ca", authority);
        store.setKeyEntry("scheduler", scheduler.key(), PASSWORD, new Certificate[] {scheduler.certificate()});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
