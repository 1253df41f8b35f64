package io.numaledger.simulator.rootfs;

import io.numaledger.simulator.SimulatorMain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The agent's root file system, made of this build's jars by the recipe that {@code ./numaledger rootfs} follows; only the program
 * that makes the class archive is the one under test, not the packed one.
 */
final class BuiltRoot {

    private static final Path PROJECT = Path.of(System.getProperty("numaledger.root"));
    private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

    private BuiltRoot() {}

    /** Why it cannot be made here by root, in a sentence; empty: it can. */
    static Optional<String> missing() throws IOException {
        if (!Files.isDirectory(JAVA_HOME.resolve("jmods"))) {
            return Optional.of("this Java has no jmods; use a whole JDK");
        }
        Path built = PROJECT.resolve("agent/target");
        if (!Files.isDirectory(built.resolve("lib"))
                || newest(built, ".jar") < newest(built.resolve("classes"), ".class")) {
            return Optional.of("the agent is not packed, or was before its last change; run mvn verify");
        }
        return Optional.empty();
    }

    private static long newest(Path directory, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .mapToLong(file -> file.toFile().lastModified())
                    .max()
                    .orElse(0);
        }
    }

    /**
     * Makes it.
     *
     * @param place an empty directory, which gets what the recipe expects to find beside itself
     * @return the root file system
     */
    static Path in(Path place) throws IOException, InterruptedException {
        Path recipe = place.resolve("agent/src/main/image/rootfs.sh");
        Files.createDirectories(recipe.getParent());
        Files.copy(PROJECT.resolve(place.relativize(recipe)), recipe);
        Files.createSymbolicLink(place.resolve("agent/target"), PROJECT.resolve("agent/target"));
        Path program = Files.writeString(
                place.resolve("numaledger"),
                "#!/bin/sh%nshift%nexec '%s/bin/java' -cp '%s' %s \"$@\"%n"
                        .formatted(JAVA_HOME, System.getProperty("java.class.path"), SimulatorMain.class.getName()));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path root = place.resolve("root");
        Path log = place.resolve("rootfs.log");
        ProcessBuilder builder = new ProcessBuilder("sh", recipe.toString(), root.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", JAVA_HOME.toString());
        Process process = builder.start();
        if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(
                    "cannot make the agent's root file system: recipe=%s%n%s".formatted(recipe, Files.readString(log)));
        }
        return root;
    }
}
