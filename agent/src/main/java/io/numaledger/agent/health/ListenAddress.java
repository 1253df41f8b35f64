package io.numaledger.agent.health;

import java.net.InetSocketAddress;

/**
 * Where to listen, as {@code HOST:PORT}, {@code :PORT} or {@code [IPv6]:PORT}.
 *
 * @param host empty: all addresses
 * @param port 0: any free one
 */
public record ListenAddress(String host, int port) {

    /** @throws IllegalArgumentException if it is not an address; the message has an example */
    public static ListenAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon).replaceAll("^\\[|]$", "");
        String port = text.substring(colon + 1);
        if (colon < 0 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65535) {
            throw new IllegalArgumentException(
                    "'%s' is no address; expected such as :9464, 127.0.0.1:9464 or off".formatted(text));
        }
        return new ListenAddress(host, Integer.parseInt(port));
    }

    InetSocketAddress socketAddress() {
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }
}
