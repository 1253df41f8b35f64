package io.numaledger.images.rootfs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import static java.util.Objects.requireNonNull;

/** The Java flags of an image's java.args, for a run of the same program from this build's classes. */
public final class ImageFlags {

    private ImageFlags() {}

    public static List<String> agent() throws IOException {
        return of("agent");
    }

    public static List<String> bridge() throws IOException {
        return of("bridge");
    }

    private static List<String> of(String program) throws IOException {
        try (InputStream file = requireNonNull(ImageFlags.class.getResourceAsStream(program + "/java.args"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .takeWhile(flag -> !flag.equals("-cp"))
                    .filter(flag -> !namesFilesOfTheImage(flag))
                    .toList();
        }
    }

    private static boolean namesFilesOfTheImage(String flag) {
        return flag.startsWith("-Djna.") || flag.startsWith("-Dnumaledger.script=");
    }
}
