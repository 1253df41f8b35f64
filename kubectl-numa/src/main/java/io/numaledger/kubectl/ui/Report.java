package io.numaledger.kubectl.ui;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/** The page with its modules, style and data in one file, which asks nobody for anything. */
final class Report {

    private static final String STYLE =
            "<link rel=\"stylesheet\" href=\"style.css\">\n<link rel=\"stylesheet\" href=\"views.css\">";
    private static final String SCRIPT = "<script type=\"module\" src=\"app.js\"></script>";
    private static final Pattern IMPORT =
            Pattern.compile("^import (\\{[^}]*}) from '[.]/([a-z]+)[.]js';$", Pattern.MULTILINE);
    private static final Pattern EXPORT =
            Pattern.compile("^export ((?:async )?function|const|class) (\\w+)", Pattern.MULTILINE);

    private Report() {}

    static String of(UiData data) throws IOException {
        String style = file("style.css") + file("views.css");
        String script = "const modules = {};\n" + modules("app", new LinkedHashSet<>());
        String policy =
                "default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'"
                        .formatted(hash(script), hash(style));
        return file(Page.INDEX)
                .replace(
                        STYLE,
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<style>%s</style>"
                                .formatted(policy, style))
                .replace(
                        SCRIPT,
                        "<script type=\"text/plain\" id=\"data\">%s</script>\n<script type=\"module\">%s</script>"
                                .formatted(compressed(data.all().toString()), script));
    }

    private static String file(String name) throws IOException {
        return Page.file(name)
                .orElseThrow(() -> new IOException("the program has no file %s; install it again".formatted(name)));
    }

    /** A module as a function that returns what it exports, after all modules that it imports. */
    private static String modules(String name, Set<String> done) throws IOException {
        if (!done.add(name)) {
            return "";
        }
        String source = file(name + ".js");
        StringBuilder before = new StringBuilder();
        for (Matcher each = IMPORT.matcher(source); each.find(); ) {
            before.append(modules(each.group(2), done));
        }
        List<String> exported = new ArrayList<>();
        EXPORT.matcher(source).results().forEach(each -> exported.add(each.group(2)));
        String body = EXPORT.matcher(IMPORT.matcher(source).replaceAll(Report::imported))
                .replaceAll("$1 $2");
        return before
                + "modules.%s = (() => {\n%s\nreturn {%s};\n})();\n".formatted(name, body, String.join(", ", exported));
    }

    private static String imported(MatchResult statement) {
        return "const %s = modules.%s;".formatted(statement.group(1).replace(" as ", ": "), statement.group(2));
    }

    private static String compressed(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream zipped = new GZIPOutputStream(bytes)) {
            zipped.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /** The hash as a policy names an inline script or style. */
    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(hash) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Java has SHA-256", e);
        }
    }
}
