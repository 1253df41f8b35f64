package io.numaledger.kubectl.ui;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Who may read the data: the page that first sends the token of the printed URL. It gets the secret of its session, and the token is worth
 * nothing from then on. Both are in a header that only the page's script sends. It is no cookie, because browsers send the cookies of a
 * host to all of its ports, and other users of this machine have servers there.
 */
final class Access {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String HEADER = "authorization";
    private static final String SCHEME = "Bearer ";

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

    /** Whether the host is ours. Another name for this address may be that of a page which had its name rebound to it. */
    boolean isOurHost(RequestHead request) {
        String host = request.header("host").orElse("");
        return List.of("127.0.0.1:", "localhost:", "[::1]:").stream()
                .anyMatch(name -> host.equalsIgnoreCase(name + port));
    }

    boolean hasSession(RequestHead request) {
        return hasSecret(request, session);
    }

    /** The session for whoever sends the token first. */
    Optional<String> sessionFor(RequestHead request) {
        return hasSecret(request, token) && used.compareAndSet(false, true) ? Optional.of(session) : Optional.empty();
    }

    private static boolean hasSecret(RequestHead request, String secret) {
        return MessageDigest.isEqual(
                request.header(HEADER).orElse("").getBytes(StandardCharsets.UTF_8),
                (SCHEME + secret).getBytes(StandardCharsets.UTF_8));
    }
}
