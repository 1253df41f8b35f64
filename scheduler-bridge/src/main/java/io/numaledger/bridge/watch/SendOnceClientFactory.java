package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import okhttp3.OkHttpClient;

/**
 * Makes the HTTP clients of all Kubernetes clients of the bridge, which finds it as a service. When a connection breaks, OkHttp would send
 * any request again, a bind as well. Whether to do that is up to the retry limit of the Kubernetes client.
 */
public final class SendOnceClientFactory extends OkHttpClientFactory {

    @Override
    protected OkHttpClient.Builder newOkHttpClientBuilder() {
        return super.newOkHttpClientBuilder().retryOnConnectionFailure(false);
    }

    /** Above the factories of the libraries on the class path, all of which have 0. */
    @Override
    public int priority() {
        return 1;
    }
}
