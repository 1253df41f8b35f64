package io.numaledger.kubectl.ui;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** The files of the page. */
final class Page {

    static final String INDEX = "index.html";
    private static final Pattern NAME = Pattern.compile("[a-z]+[.](html|css|js)");

    private Page() {}

    /** The content of a file; empty if there is no such file. */
    static Optional<String> file(String name) throws IOException {
        if (!NAME.matcher(name).matches()) {
            return Optional.empty();
        }
        try (InputStream file = Page.class.getResourceAsStream(name)) {
            return file == null
                    ? Optional.empty()
                    : Optional.of(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    static String contentType(String name) {
        return name.endsWith(".js") ? "text/javascript" : "text/" + name.substring(name.indexOf('.') + 1);
    }
}
