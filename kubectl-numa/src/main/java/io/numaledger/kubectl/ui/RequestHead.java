package io.numaledger.kubectl.ui;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The head of an HTTP/1.1 request.
 *
 * @param path decoded, such as {@code /data/nodes}
 * @param query decoded
 * @param headers by their names in lower case; the values of equal names are joined by commas
 */
record RequestHead(String method, String path, Map<String, String> query, Map<String, String> headers) {

    /**
     * Reads a head without the empty line at its end.
     *
     * @throws IllegalArgumentException if it is none
     */
    static RequestHead parse(String head) {
        String[] lines = head.split("\r\n", -1);
        String[] request = lines[0].split(" ", -1);
        if (request.length != 3 || !request[1].startsWith("/") || !request[2].startsWith("HTTP/1.")) {
            throw new IllegalArgumentException(
                    "this is no HTTP/1.1 request; open the URL that is printed in a browser");
        }
        String[] target = request[1].split("\\?", 2);
        return new RequestHead(
                request[0],
                decoded(target[0].replace("+", "%2B")),
                query(target.length > 1 ? target[1] : ""),
                headers(lines));
    }

    private static Map<String, String> query(String raw) {
        Map<String, String> query = new HashMap<>();
        for (String each : raw.split("&")) {
            String[] parts = each.split("=", 2);
            query.put(decoded(parts[0]), parts.length > 1 ? decoded(parts[1]) : "");
        }
        return query;
    }

    private static Map<String, String> headers(String[] lines) {
        Map<String, String> headers = new TreeMap<>();
        for (int line = 1; line < lines.length; line++) {
            String[] parts = lines[line].split(":", 2);
            if (parts.length != 2) {
                throw new IllegalArgumentException("a header has no colon; open the URL that is printed in a browser");
            }
            headers.merge(parts[0].toLowerCase(Locale.ROOT), parts[1].strip(), (a, b) -> a + ", " + b);
        }
        return headers;
    }

    /** @throws IllegalArgumentException if a percent sign is followed by no number */
    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** @param name in lower case */
    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }
}
