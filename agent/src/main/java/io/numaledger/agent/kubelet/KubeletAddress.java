package io.numaledger.agent.kubelet;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/**
 * Where a kubelet's own API is.
 *
 * @param host a name or an address
 * @param port 1–65535
 */
public record KubeletAddress(String host, int port) {

    /** The kubelet's default port. */
    public static final int USUAL_PORT = 10250;

    public KubeletAddress {
        if (host.isBlank() || port < 1 || port > 65535) {
            throw new IllegalArgumentException(
                    "'%s:%d' is no address of a kubelet; expected such as 10.0.0.7 or 10.0.0.7:10250"
                            .formatted(host, port));
        }
    }

    /**
     * Reads {@code HOST}, {@code HOST:PORT} or {@code [IPv6]:PORT}.
     *
     * @throws IllegalArgumentException if it is invalid; the message has an example
     */
    public static KubeletAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        boolean port = colon >= 0 && (text.indexOf(':') == colon || text.startsWith("[")) && !text.endsWith("]");
        String host = (port ? text.substring(0, colon) : text).replaceAll("^\\[|]$", "");
        String digits = port ? text.substring(colon + 1) : Integer.toString(USUAL_PORT);
        return new KubeletAddress(host, digits.matches("\\d{1,5}") ? Integer.parseInt(digits) : 0);
    }

    URI configz() {
        String literal = host.contains(":") ? "[" + host + "]" : host;
        return URI.create("https://%s:%d/configz".formatted(literal, port));
    }

    /** The address from a Node: its first internal address, and the port that its kubelet reports; the parser stands at its start. */
    static Optional<KubeletAddress> ofNode(JsonParser json) throws IOException {
        NodeReader reader = new NodeReader();
        reader.node(json);
        return reader.address.map(host -> new KubeletAddress(host, reader.port.orElse(USUAL_PORT)));
    }

    private static final class NodeReader {

        private Optional<String> address = Optional.empty();
        private Optional<Integer> port = Optional.empty();

        private interface Value {
            void read(JsonParser json) throws IOException;
        }

        void node(JsonParser json) throws IOException {
            field(json, "status", status -> fields(status));
        }

        private void fields(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "addresses" -> addresses(json);
                    case "daemonEndpoints" ->
                        field(
                                json,
                                "kubeletEndpoint",
                                endpoint -> field(endpoint, "Port", value -> port = Optional.of(value.getIntValue())));
                    default -> json.skipChildren();
                }
            }
        }

        private void addresses(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.START_OBJECT) {
                String type = "";
                String value = "";
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    boolean isType = json.currentName().equals("type");
                    json.nextToken();
                    if (isType) {
                        type = json.getText();
                    } else {
                        value = json.getText();
                    }
                }
                if (type.equals("InternalIP") && address.isEmpty()) {
                    address = Optional.of(value);
                }
            }
        }

        private static void field(JsonParser json, String wanted, Value value) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean found = json.currentName().equals(wanted);
                json.nextToken();
                if (found) {
                    value.read(json);
                } else {
                    json.skipChildren();
                }
            }
        }
    }
}
