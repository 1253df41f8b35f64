package io.numaledger.images.rootfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The archive of the classes that a program uses, in its root file system. A run of the program records the classes; a second
 * process archives them. The program's file of flags names the archive: {@code -XX:AOTCache} since Java 25,
 * {@code -XX:SharedArchiveFile} before.
 */
final class ClassArchive {

    private static final String CACHE = "-XX:AOTCache=";
    private static final String SHARED = "-XX:SharedArchiveFile=";

    private final Path root;
    private final Path directory;
    private final List<String> flags;
    private final boolean cache;
    private final Path file;

    /** @param program the name of the file of flags, such as {@code agent} for {@code agent.args} */
    ClassArchive(Path root, String program) throws IOException {
        this.root = root;
        directory = Files.createDirectories(root.resolve("train"));
        flags = Files.readAllLines(root.resolve(program + ".args"));
        cache = flags.get(0).startsWith(CACHE);
        file = root.resolve(flags.get(0).substring((cache ? CACHE : SHARED).length() + "/".length()));
    }

    /** A directory for the run that records, at {@code /train} of the root file system. */
    Path directory() {
        return directory;
    }

    ContainedProgram recording() {
        return new ContainedProgram(root).writable();
    }

    /** The arguments to Java of the run that records. */
    List<String> recordingArguments(String... programArguments) throws IOException {
        List<String> lines = new ArrayList<>(
                cache
                        ? List.of("-XX:AOTMode=record", "-XX:AOTConfiguration=/train/classes")
                        : List.of("-Xshare:off", "-XX:DumpLoadedClassList=/train/classes"));
        lines.addAll(flags.subList(1, flags.size()));
        Files.write(directory.resolve("record.args"), lines);
        List<String> arguments = new ArrayList<>(List.of("@/train/record.args"));
        arguments.addAll(List.of(programArguments));
        return arguments;
    }

    /** Archives the recorded classes. */
    void write() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>(
                cache
                        ? List.of("-XX:AOTMode=create", "-XX:AOTConfiguration=/train/classes")
                        : List.of("-Xshare:dump", "-XX:SharedClassListFile=/train/classes"));
        // Only G1 can archive objects as well, and the Serial GC of the program can load them.
        flags.stream()
                .map(flag -> flag.equals("-XX:+UseSerialGC") ? "-XX:+UseG1GC" : flag)
                .forEach(lines::add);
        Files.write(directory.resolve("write.args"), lines);
        Process dump =
                recording().process(List.of("@/train/write.args")).inheritIO().start();
        if (dump.waitFor() != 0 || !Files.exists(file)) {
            throw new IOException("cannot make the class archive: root=%s exit=%d; see the messages above"
                    .formatted(root, dump.exitValue()));
        }
    }

    void deleteRecords() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
