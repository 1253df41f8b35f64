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
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Root file systems, made from this build's jars by the script behind {@code ./numaledger rootfs}. Only the program
 * that makes the class archive is the one under test, not the packaged one.
 */
final class BuiltRoot {

    private static final Path PROJECT = Path.of(System.getProperty("numaledger.root"));
    private static final Path RECIPE = PROJECT.resolve("images/src/main/image");
    private static final SortedMap<String, Path> MADE = new TreeMap<>();
    private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

    private BuiltRoot() {}

    /** Why it cannot be made here, in a sentence; empty if it can. */
    static Optional<String> missing() throws IOException {
        if (!Files.isExecutable(JAVA_HOME.resolve("bin/jlink"))) {
            return Optional.of("this Java has no jlink; use a whole JDK");
        }
        for (String module : List.of("agent", "scheduler-bridge", "kubectl-numa")) {
            if (!isPackaged(PROJECT.resolve(module).resolve("target"))) {
                return Optional.of(module + " is not packaged, or has changed since; run mvn verify");
            }
        }
        return Optional.empty();
    }

    /** Whether the jar holds the classes as they are now. File times do not tell: a jar with equal content is not written again. */
    private static boolean isPackaged(Path target) throws IOException {
        Path classes = target.resolve("classes");
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "*-[0-9]*.jar");
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

    /** The root file system of a program with its class archive, made once for all tests. */
    static synchronized Path of(String program) throws IOException, InterruptedException {
        Path root = MADE.get(program);
        if (root == null) {
            Path place = PROJECT.resolve("images/target/roots").resolve(program);
            new ProcessBuilder("rm", "-rf", place.toString()).start().waitFor();
            root = make(program, Files.createDirectories(place), List.of());
            MADE.put(program, root);
        }
        return root;
    }

    /**
     * Makes a root file system.
     *
     * @param place an empty directory
     * @return the root file system
     */
    static Path make(String program, Path place, List<String> options) throws IOException, InterruptedException {
        Path images = Files.writeString(
                place.resolve("numaledger"),
                "#!/bin/sh%nshift%nexec '%s/bin/java' -cp '%s' %s \"$@\"%n"
                        .formatted(JAVA_HOME, System.getProperty("java.class.path"), ImagesMain.class.getName()));
        Files.setPosixFilePermissions(images, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path root = place.resolve("root");
        Path log = place.resolve("rootfs.log");
        List<String> command =
                new ArrayList<>(List.of("sh", RECIPE.resolve("rootfs.sh").toString(), program, root.toString()));
        command.addAll(options);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", JAVA_HOME.toString());
        builder.environment().put("NUMALEDGER", images.toString());
        Process process = builder.start();
        if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException(
                    "cannot make the root file system: program=%s%n%s".formatted(program, Files.readString(log)));
        }
        return root;
    }
}
