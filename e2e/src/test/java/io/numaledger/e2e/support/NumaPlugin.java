package io.numaledger.e2e.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** {@code kubectl numa} as this build has it. */
public final class NumaPlugin {

    private static final String SCRIPT = """
            #!/bin/sh
            exec '%s/bin/java' -cp '%s' io.numaledger.kubectl.PluginMain "$@"
            """;

    private NumaPlugin() {}

    /** @param directory that kubectl is to find on its path */
    public static void install(Path directory) throws IOException {
        Path plugin = directory.resolve("kubectl-numa");
        Files.writeString(
                plugin, SCRIPT.formatted(System.getProperty("java.home"), System.getProperty("java.class.path")));
        Files.setPosixFilePermissions(plugin, PosixFilePermissions.fromString("rwx------"));
    }
}
