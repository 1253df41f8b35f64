package io.numaledger.images.sbom;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.Reader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a root file system has beside jars, as components of a bill of materials. */
final class SystemComponents {

    private static final Pattern PURL = Pattern.compile("pkg:.+/(?<name>[^/@]+)@(?<version>[^?]+).*");

    private SystemComponents() {}

    /** By the {@code release} file of the runtime, whose values are in quotes. */
    static ObjectNode javaRuntime(Path root) throws IOException {
        Properties release = new Properties();
        try (Reader in = Files.newBufferedReader(root.resolve("jre/release"))) {
            release.load(in);
        }
        String version = value(release, "JAVA_RUNTIME_VERSION");
        return component("platform", "pkg:generic/openjdk@" + version.replace("+", "%2B"), "openjdk", version)
                .put("publisher", value(release, "IMPLEMENTOR"));
    }

    private static String value(Properties release, String key) {
        return release.getProperty(key, "").replace("\"", "");
    }

    /** @param purl such as {@code pkg:deb/debian/libc6@2.36-9?arch=amd64} */
    static ObjectNode ofPackage(String purl) {
        Matcher parts = PURL.matcher(purl);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "no package URL with a name and a version: purl=%s; see github.com/package-url".formatted(purl));
        }
        return component("library", purl, decoded(parts.group("name")), decoded(parts.group("version")));
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part, StandardCharsets.UTF_8);
    }

    private static ObjectNode component(String type, String purl, String name, String version) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("type", type)
                .put("bom-ref", purl)
                .put("name", name)
                .put("version", version)
                .put("purl", purl);
    }
}
