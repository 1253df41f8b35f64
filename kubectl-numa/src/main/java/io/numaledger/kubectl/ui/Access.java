package io.numaledger.kubectl.ui;

import com.sun.net.httpserver.Headers;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who may read the page: the browser that first sends the token of the printed URL. It gets a cookie, and the token is worth nothing from
 * then on. Other users and other pages on this machine can connect, too, but have neither.
 */
final class Access {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final int port;
    private final String token = secret();
    private final String session = secret();
    private final AtomicBoolean used = new AtomicBoolean();

    Access(int port) {
        this.port = port;
    }

    private static String secret() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    String token() {
        return token;
    }

    /** Another name for this address may be that of a page which had its name rebound to it. */
    boolean isOurHost(Headers request) {
        String host = Optional.ofNullable(request.getFirst("Host")).orElse("");
        return List.of("127.0.0.1:", "localhost:", "[::1]:").stream()
                .anyMatch(name -> host.equalsIgnoreCase(name + port));
    }

    boolean hasCookie(Headers request) {
        return request.getOrDefault("Cookie", List.of()).stream()
                .flatMap(line -> List.of(line.split("; *")).stream())
                .anyMatch(cookie -> equal(cookie, cookieName() + "=" + session));
    }

    /** The cookie for whoever sends the token first. */
    Optional<String> cookieFor(String sent) {
        return equal(sent, token) && used.compareAndSet(false, true)
                ? Optional.of(cookieName() + "=" + session + "; Path=/; HttpOnly; SameSite=Strict")
                : Optional.empty();
    }

    /** Cookies of all ports of a host are sent to each of them. */
    private String cookieName() {
        return "kubectl-numa-" + port;
    }

    private static boolean equal(String a, String b) {
        return MessageDigest.isEqual(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }
}
