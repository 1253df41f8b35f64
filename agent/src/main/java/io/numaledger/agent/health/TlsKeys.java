package io.numaledger.agent.health;

import io.grpc.util.AdvancedTlsX509KeyManager;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A certificate and its key from PEM files, read again once a minute, so that a renewed pair is served without a restart. */
public final class TlsKeys implements AutoCloseable {

    private final ScheduledExecutorService reader;
    private final SSLContext context;

    private TlsKeys(ScheduledExecutorService reader, SSLContext context) {
        this.reader = reader;
        this.context = context;
    }

    /**
     * Reads both files.
     *
     * @param key an unencrypted PKCS #8 key
     * @throws IOException if either cannot be used; the message names both
     */
    public static TlsKeys read(Path certificate, Path key) throws IOException {
        ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "tls-keys");
            thread.setDaemon(true);
            return thread;
        });
        try {
            AdvancedTlsX509KeyManager keys = new AdvancedTlsX509KeyManager();
            keys.updateIdentityCredentials(certificate.toFile(), key.toFile(), 1, TimeUnit.MINUTES, reader);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, null, null);
            return new TlsKeys(reader, context);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            reader.shutdownNow();
            throw new IOException(
                    "cannot use the keys for TLS: certificate=%s key=%s: %s; give PEM files, the key in PKCS #8"
                            .formatted(certificate, key, e.getMessage()),
                    e);
        }
    }

    SSLContext context() {
        return context;
    }

    @Override
    public void close() {
        reader.shutdownNow();
    }
}
