package io.numaledger.e2e.install;

import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Calls filter of one replica again and again, as kube-scheduler does, and its liveness probe, as a kubelet does, each time on a new
 * connection. Closing it ends that.
 */
final class SchedulerCalls implements AutoCloseable {

    private static final Duration PERIOD = Duration.ofMillis(50);

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final Calls filter;
    private final Calls health;

    private SchedulerCalls(Calls filter, Calls health) {
        this.filter = filter;
        this.health = health;
        for (Calls each : List.of(filter, health)) {
            var unused = threads.scheduleWithFixedDelay(each::call, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Starts to call.
     *
     * @param address the IP address of the replica
     * @param body of the calls of filter
     */
    static SchedulerCalls start(String address, SSLContext scheduler, String body) throws IOException {
        return new SchedulerCalls(
                // the timeouts of kube-scheduler's configuration, and of the chart's probe
                new Calls(url("https://%s:9443/filter", address), Optional.of(scheduler), Optional.of(body), 5_000),
                new Calls(url("http://%s:9444/healthz", address), Optional.empty(), Optional.empty(), 5_000));
    }

    private static URL url(String format, String address) throws IOException {
        return URI.create(format.formatted(address)).toURL();
    }

    /** How many calls of filter were answered so far. */
    int answered() {
        return filter.nanos.size();
    }

    /** What failed so far. */
    List<String> failures() {
        return List.of(filter.failures, health.failures).stream()
                .flatMap(ConcurrentLinkedQueue::stream)
                .toList();
    }

    @Override
    public String toString() {
        return "filter %s, healthz %s".formatted(filter, health);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** The same call, and how long it took. */
    private record Calls(
            URL url,
            Optional<SSLContext> tls,
            Optional<String> body,
            int timeoutMillis,
            ConcurrentLinkedQueue<Long> nanos,
            ConcurrentLinkedQueue<String> failures) {

        Calls(URL url, Optional<SSLContext> tls, Optional<String> body, int timeoutMillis) {
            this(url, tls, body, timeoutMillis, new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
        }

        void call() {
            long started = System.nanoTime();
            try {
                int status = send();
                if (status == 200) {
                    nanos.add(System.nanoTime() - started);
                } else {
                    failures.add("%s: status %d".formatted(url, status));
                }
            } catch (IOException e) {
                failures.add("%s: %s".formatted(url, e));
            }
        }

        private int send() throws IOException {
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            connection.setConnectTimeout(timeoutMillis);
            connection.setReadTimeout(timeoutMillis);
            connection.setRequestProperty("Connection", "close");
            if (connection instanceof HttpsURLConnection https) {
                https.setSSLSocketFactory(tls.orElseThrow().getSocketFactory());
                https.setHostnameVerifier((name, session) -> true);
            }
            if (body.isPresent()) {
                connection.setDoOutput(true);
                connection.getOutputStream().write(body.get().getBytes(StandardCharsets.UTF_8));
            }
            int status = connection.getResponseCode();
            try (InputStream answer = connection.getInputStream()) {
                answer.readAllBytes();
            } finally {
                connection.disconnect();
            }
            return status;
        }

        @Override
        public String toString() {
            long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
            return sorted.length == 0
                    ? "no answer, %d failed".formatted(failures.size())
                    : "p50 %.1f ms, p99 %.1f ms (%d calls, %d failed)"
                            .formatted(
                                    sorted[sorted.length / 2] / 1e6,
                                    sorted[sorted.length * 99 / 100] / 1e6,
                                    sorted.length,
                                    failures.size());
        }
    }
}
