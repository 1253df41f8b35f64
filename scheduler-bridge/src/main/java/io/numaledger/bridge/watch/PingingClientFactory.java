package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.http.HttpClient;

/**
 * Makes HTTP clients that ping the servers of their WebSockets, so that a watch is told when its connection ends.
 *
 * <p>The JDK reports the end of a connection only to a listener that has asked for another message, and the Kubernetes client asks after it
 * has handled an event. Without pings, a watch whose connection ends meanwhile stays without events for up to ten minutes.
 */
final class PingingClientFactory extends JdkHttpClientFactory {

    @Override
    protected HttpClient.Builder createNewHttpClientBuilder() {
        return pinging(super.createNewHttpClientBuilder());
    }

    private static HttpClient.Builder pinging(HttpClient.Builder builder) {
        return (HttpClient.Builder) Proxy.newProxyInstance(
                PingingClientFactory.class.getClassLoader(),
                new Class<?>[] {HttpClient.Builder.class},
                (proxy, method, arguments) -> {
                    Object result = invoke(builder, method, arguments);
                    return result instanceof HttpClient client ? new PingingClient(client) : proxy;
                });
    }

    private static Object invoke(HttpClient.Builder builder, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(builder, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
