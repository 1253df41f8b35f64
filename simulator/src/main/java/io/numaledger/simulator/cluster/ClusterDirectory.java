package io.numaledger.simulator.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * The directory that holds all of one cluster. A file in it names the process that the cluster belongs to; when that has
 * ended, whatever is left is nobody's and goes with the next start.
 */
public final class ClusterDirectory {

    private static final String PREFIX = "numaledger-sim";
    private static final String OWNER = "owner";

    /** What a cluster in the background says; it is there before the cluster is. */
    private static final String LOG = "sim.log";

    private static final String READY = "ready";

    private final Path path;

    private ClusterDirectory(Path path) {
        this.path = path;
    }

    /** {@code numaledger-sim} in the directory for temporary files, where {@code sim up} puts its cluster. */
    static Path byDefault() {
        return temporary().resolve(PREFIX);
    }

    private static Path temporary() {
        return Path.of(Optional.ofNullable(System.getenv("TMPDIR")).orElse("/tmp"));
    }

    /** A new directory of a random name; what ended processes left beside it is removed first. */
    public static ClusterDirectory create() {
        removeLeftovers(temporary());
        return claim(temporary()
                .resolve("%s-%06x".formatted(PREFIX, ThreadLocalRandom.current().nextInt(1 << 24))));
    }

    /**
     * Takes the directory for this process; what an ended process left in it is removed.
     *
     * @throws SimClusterException when a cluster runs in it, or it holds other things
     */
    static ClusterDirectory claim(Path path) {
        Path absolute = prepare(path);
        ProcessHandle self = ProcessHandle.current();
        try {
            // Who looks for leftovers meanwhile sees no owner or all of it.
            Path half = Files.writeString(
                    absolute.resolve(OWNER + ".half"), "%d %s%n".formatted(self.pid(), started(self)));
            Files.move(half, absolute.resolve(OWNER), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException cause) {
            throw notMade(absolute, cause);
        }
        return new ClusterDirectory(absolute);
    }

    /**
     * Makes the directory, empty.
     *
     * @throws SimClusterException when a cluster runs in it, or it holds other things
     */
    static Path prepare(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        owner(absolute).ifPresent(pid -> {
            throw new SimClusterException(
                    "a simulated cluster runs there: dir=%s pid=%d; end it with sim down --dir %s, or choose another directory"
                            .formatted(absolute, pid, absolute));
        });
        try {
            if (isOne(absolute)) {
                remove(absolute);
            }
            Files.createDirectories(absolute);
            try (Stream<Path> content = Files.list(absolute)) {
                if (content.anyMatch(file -> !file.endsWith(LOG))) {
                    throw new SimClusterException(
                            "a simulated cluster needs a directory of its own: dir=%s is not empty; choose another"
                                    .formatted(absolute));
                }
            }
        } catch (IOException cause) {
            throw notMade(absolute, cause);
        }
        return absolute;
    }

    private static UncheckedIOException notMade(Path directory, IOException cause) {
        return new UncheckedIOException(
                "cannot make a cluster's directory: dir=%s; check that it may be written".formatted(directory), cause);
    }

    /** True when a cluster's process has made it, whether that process still runs or not. */
    static boolean isOne(Path directory) {
        return Files.exists(directory.resolve(OWNER));
    }

    /** The living process that the cluster in the directory belongs to; empty when there is none. */
    static Optional<Long> owner(Path directory) {
        try {
            List<String> words =
                    List.of(Files.readString(directory.resolve(OWNER)).strip().split(" "));
            return ProcessHandle.of(Long.parseLong(words.get(0)))
                    .filter(process -> started(process).equals(words.get(words.size() - 1)))
                    .map(ProcessHandle::pid);
        } catch (IOException none) {
            return Optional.empty();
        }
    }

    /**
     * The process of the cluster that is up in the directory.
     *
     * @throws SimClusterException when none is
     */
    public static long requireRunning(Path directory) {
        return owner(directory)
                .filter(owner -> Files.exists(ready(directory)))
                .orElseThrow(
                        () -> new SimClusterException("no cluster runs there: dir=%s; start one with sim up --dir %s"
                                .formatted(directory, directory)));
    }

    /** A process id alone may be somebody else's by now. */
    private static String started(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toString).orElse("unknown");
    }

    private static void removeLeftovers(Path parent) {
        try (Stream<Path> siblings = Files.list(parent)) {
            siblings.filter(path -> path.getFileName().toString().startsWith(PREFIX))
                    .filter(path ->
                            Files.exists(path.resolve(OWNER)) && owner(path).isEmpty())
                    .forEach(ClusterDirectory::remove);
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot look for leftovers: dir=%s; check that it may be read".formatted(parent), cause);
        }
    }

    public Path path() {
        return path;
    }

    static Path log(Path directory) {
        return directory.resolve(LOG);
    }

    /** There once all nodes of a cluster in the background are Ready. */
    public static Path ready(Path directory) {
        return directory.resolve(READY);
    }

    public static Path kubeconfig(Path directory) {
        return directory.resolve("admin.kubeconfig");
    }

    /** The directory of a node. */
    public static NodeDirectory node(Path directory, String name) {
        return new NodeDirectory(nodes(directory).resolve(name));
    }

    /** Where the nodes' directories lie, by name. */
    static Path nodes(Path directory) {
        return directory.resolve("n");
    }

    /** Ends what still runs on it, then deletes it. Who only uses the cluster by its kubeconfig is none of it. */
    public static void remove(Path directory) {
        String mark = directory + "/";
        String ofUsers = kubeconfig(directory).toString();
        ProcessHandle.allProcesses()
                .filter(process -> process.pid() != ProcessHandle.current().pid())
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.replace(ofUsers, "").contains(mark))
                        .isPresent())
                .forEach(ProcessHandle::destroyForcibly);
        try {
            Files.walkFileTree(directory, new Deletion());
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot delete a cluster's directory: dir=%s; delete it by hand".formatted(directory), cause);
        }
    }

    private static final class Deletion extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException cause) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
