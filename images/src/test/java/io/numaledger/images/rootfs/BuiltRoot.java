package io.numaledger.images.rootfs;

import io.numaledger.images.ImagesMain;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The agent's root file system, made from this build's jars by the script behind {@code ./numaledger rootfs}. Only the program
 * that makes the class archive is the one under test, not the packaged one.
 */
final class BuiltRoot {

    private static final Path PROJECT = Path.of(System.getProperty("numaledger.root"));
    private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

    private BuiltRoot() {}

    /** Why it cannot be made here, in a sentence; empty if it can. */
    static Optional<String> missing() throws IOException {
        if (!Files.isDirectory(JAVA_HOME.resolve("jmods"))) {
            return Optional.of("this Java has no jmods; use a whole JDK");
        }
        if (!isPackaged(PROJECT.resolve("agent/target"))) {
            return Optional.of("the agent is not packaged, or has changed since; run mvn verify");
        }
        return Optional.empty();
    }

    /** Whether the jar holds the classes as they are now. File times do not tell: a jar with equal content is not written again. */
    private static boolean isPackaged(Path target) throws IOException {
        Path classes = target.resolve("classes");
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "agent-*.jar");
                Stream<Path> files = Files.walk(classes)) {
            Iterator<Path> jar = jars.iterator();
            if (!jar.hasNext()) {
                return false;
            }
            try (FileSystem packaged = FileSystems.newFileSystem(jar.next())) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Path entry = packaged.getPath(classes.relativize(file).toString());
                    if (!Files.exists(entry) || Files.mismatch(file, entry) >= 0) {
                        return false;
                    }
                }
            }
            return Files.isDirectory(target.resolve("lib"));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Makes the root file system.
     *
     * @param place an empty directory; the script finds the files there that it expects in the project
     * @return the root file system
     */
    static Path in(Path place) throws IOException, InterruptedException {
        Path recipe = place.resolve("images/src/main/image/agent/rootfs.sh");
        Files.createDirectories(recipe.getParent());
        Files.copy(PROJECT.resolve(place.relativize(recipe)), recipe);
        Files.createDirectory(place.resolve("agent"));
        Files.createSymbolicLink(place.resolve("agent/target"), PROJECT.resolve("agent/target"));
        Path program = Files.writeString(
                place.resolve("numaledger"),
                "#!/bin/sh%nshift%nexec '%s/bin/java' -cp '%s' %s \"$@\"%n"
                        .formatted(JAVA_HOME, System.getProperty("java.class.path"), ImagesMain.class.getName()));
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
