package io.numaledger.bridge.certificate;

import io.numaledger.task.SurvivingTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Renews the certificates that the bridge issues itself, once an hour. */
public final class CertificateRenewal implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CertificateRenewal.class);

    private final Optional<IssuedCertificates> certificates;
    private final ScheduledExecutorService hourly = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "bridge-certificates");
        thread.setDaemon(true);
        return thread;
    });

    private CertificateRenewal(Optional<IssuedCertificates> certificates) {
        this.certificates = certificates;
    }

    /** Somebody else issues certificates. */
    public static CertificateRenewal none() {
        return new CertificateRenewal(Optional.empty());
    }

    /** @throws IOException if they cannot be issued now */
    public static CertificateRenewal start(IssuedCertificates certificates) throws IOException {
        certificates.ensure();
        CertificateRenewal renewal = new CertificateRenewal(Optional.of(certificates));
        var unused = renewal.hourly.scheduleWithFixedDelay(
                new SurvivingTask("certificate-renewal", () -> renew(certificates), failed -> {}),
                1,
                1,
                TimeUnit.HOURS);
        return renewal;
    }

    private static void renew(IssuedCertificates certificates) {
        try {
            certificates.ensure();
        } catch (IOException | RuntimeException e) {
            log.warn("event=certificate.renewal_failed error=\"{}\"", e.getMessage());
        }
    }

    /** The certificates that this bridge issues; absent if somebody else issues them. */
    public Optional<IssuedCertificates> certificates() {
        return certificates;
    }

    @Override
    public void close() {
        hourly.shutdownNow();
    }
}
