package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** An answer of the page's server, without the headers that all answers have. */
record Answer(int status, String type, String body) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The page may load and ask only its own server. The connection ends with the answer. */
    private static final String HEADERS = String.join(
            "\r\n",
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Resource-Policy: same-origin",
            "Connection: close");

    static Answer text(int status, String text) {
        return new Answer(status, "text/plain", text + "\n");
    }

    static Answer json(int status, JsonNode json) {
        try {
            return new Answer(status, "application/json", JSON.writeValueAsString(json));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree cannot fail to be written", e);
        }
    }

    /** @param headers further ones, each with the end of its line */
    void write(OutputStream to, String headers) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        writeHead(to, headers + "Content-Length: " + bytes.length + "\r\n");
        to.write(bytes);
        to.flush();
    }

    /** Writes an answer of which only the end of the connection is the end. */
    void writeHead(OutputStream to, String headers) throws IOException {
        String head = "HTTP/1.1 %d \r\n%s\r\nContent-Type: %s; charset=utf-8\r\n%s\r\n"
                .formatted(status, HEADERS, type, headers);
        to.write(head.getBytes(StandardCharsets.ISO_8859_1));
    }
}
