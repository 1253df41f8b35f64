package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import okhttp3.CipherSuite;
import okhttp3.ConnectionSpec;
import okhttp3.OkHttpClient;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Makes the HTTP clients of all Kubernetes clients of the bridge, which finds it as a service. When a connection breaks, OkHttp would send
 * any request again, a bind as well. Whether to do that is up to the retry limit of the Kubernetes client. Pages of lists are bounded.
 */
public final class SendOnceClientFactory extends OkHttpClientFactory {

    /** kube-apiserver takes ChaCha20 from clients that name it before AES, for which C1 has no instructions. */
    private static final List<ConnectionSpec> SPECS =
            List.of(chaChaFirst(ConnectionSpec.MODERN_TLS), ConnectionSpec.CLEARTEXT);

    private static ConnectionSpec chaChaFirst(ConnectionSpec spec) {
        return new ConnectionSpec.Builder(spec)
                .cipherSuites(Objects.requireNonNull(spec.cipherSuites()).stream()
                        .sorted(Comparator.comparing(suite -> !suite.equals(CipherSuite.TLS_CHACHA20_POLY1305_SHA256)))
                        .toArray(CipherSuite[]::new))
                .build();
    }

    @Override
    protected OkHttpClient.Builder newOkHttpClientBuilder() {
        return super.newOkHttpClientBuilder().retryOnConnectionFailure(false);
    }

    @Override
    protected void additionalConfig(OkHttpClient.Builder builder) {
        builder.connectionSpecs(SPECS).addInterceptor(new BoundedPages(BoundedPages.MOST_BYTES));
    }

    /** Above the factories of the libraries on the class path, all of which have 0. */
    @Override
    public int priority() {
        return 1;
    }
}
