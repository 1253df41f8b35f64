package io.numaledger.images.oci;

import java.nio.file.Path;
import java.util.List;

/** The layers of an image, lowest first: what changes least is shared by most images. */
enum Layer {
    /** The Java runtime, the C libraries and empty directories. */
    RUNTIME("Java runtime and C libraries"),
    /** What other projects publish. */
    DEPENDENCIES("dependencies"),
    /** This project's jars, the program that starts them, the Java flags and the bill of materials. */
    APPLICATION("application"),
    /** The class archive: the only layer that differs between two builds. */
    ARCHIVE("class archive");

    private final String content;

    Layer(String content) {
        this.content = content;
    }

    String content() {
        return content;
    }

    /** @param path a file or directory, relative to the root */
    static Layer of(Path path) {
        String top = path.getName(0).toString();
        if (top.endsWith(".jsa") || top.endsWith(".aot")) {
            return ARCHIVE;
        }
        if (List.of("app", "bin").contains(top) || top.endsWith(".args") || top.equals("sbom.cdx.json")) {
            return APPLICATION;
        }
        return top.equals("lib-java") || top.equals("lib-native") ? DEPENDENCIES : RUNTIME;
    }
}
