package io.numaledger.simulator.cri;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Records of one kind by id, in memory and each in a file of its own, so that they are there after a restart. */
final class RecordFiles<T extends MessageLite> {

    private static final String SUFFIX = ".record";

    private final Path directory;
    private final SortedMap<String, T> records = new TreeMap<>();

    RecordFiles(Path directory, Parser<T> parser) {
        this.directory = directory;
        try {
            Files.createDirectories(directory);
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(SUFFIX)).toList()) {
                    String name = file.getFileName().toString();
                    try (InputStream in = Files.newInputStream(file)) {
                        records.put(name.substring(0, name.length() - SUFFIX.length()), parser.parseFrom(in));
                    }
                }
            }
        } catch (IOException cause) {
            throw failed("read", cause);
        }
    }

    List<T> all() {
        return List.copyOf(records.values());
    }

    /** Null when there is none of this id. */
    @Nullable
    T get(String id) {
        return records.get(id);
    }

    void put(String id, T message) {
        try {
            Path half = directory.resolve(id + ".half");
            Files.write(half, message.toByteArray());
            Files.move(half, file(id), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException cause) {
            throw failed("write", cause);
        }
        records.put(id, message);
    }

    void remove(String id) {
        try {
            Files.deleteIfExists(file(id));
        } catch (IOException cause) {
            throw failed("remove", cause);
        }
        records.remove(id);
    }

    private Path file(String id) {
        return directory.resolve(id + SUFFIX);
    }

    private UncheckedIOException failed(String verb, IOException cause) {
        return new UncheckedIOException(
                "cannot %s the runtime's records: directory=%s; check that it may be written"
                        .formatted(verb, directory),
                cause);
    }
}
