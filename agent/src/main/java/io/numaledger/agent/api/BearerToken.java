package io.numaledger.agent.api;

import io.fabric8.kubernetes.client.Config;

import java.time.Duration;
import java.util.Optional;

/** The token of a configuration. The kubelet renews the token of a service account in its file; a plugin of a kubeconfig gives a new one. */
final class BearerToken {

    private static final Duration READ_AGAIN = Duration.ofMinutes(1);

    private final Config config;
    private long readAt = System.nanoTime();

    BearerToken(Config config) {
        this.config = config;
    }

    Optional<String> current() {
        return Optional.ofNullable(config.getAutoOAuthToken())
                .or(() -> Optional.ofNullable(config.getOauthToken()))
                .filter(token -> !token.isBlank());
    }

    synchronized void refreshIfOld() {
        if (System.nanoTime() - readAt > READ_AGAIN.toNanos()) {
            refresh();
        }
    }

    /** Reads the token again. True if there is one that can change. */
    synchronized boolean refresh() {
        readAt = System.nanoTime();
        if (config.getOauthToken() != null || config.getAutoOAuthToken() == null) {
            return false;
        }
        String token = config.refresh().getAutoOAuthToken();
        if (token == null || token.isBlank()) {
            return false;
        }
        config.setAutoOAuthToken(token);
        return true;
    }
}
