package io.numaledger.kubectl.ui;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Opens a page in the user's browser. */
final class Browser {

    private Browser() {}

    /** Opens the page by a file of the user, because other users can see command lines, and the URL has the token. */
    static void open(URI url) throws IOException {
        Path file = Files.createTempFile("kubectl-numa-", ".html");
        file.toFile().deleteOnExit();
        Files.writeString(file, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n".formatted(url));
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        List<String> command = system.contains("win")
                ? List.of("rundll32", "url.dll,FileProtocolHandler", file.toString())
                : List.of(system.contains("mac") ? "open" : "xdg-open", file.toString());
        try {
            new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new IOException(
                    "cannot open a browser: program=%s; leave --open out, and open the printed URL"
                            .formatted(command.get(0)),
                    e);
        }
    }
}
