package io.numaledger.apiobjects.recording;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

import static java.util.Objects.requireNonNull;

/**
 * The archive of a recorded node, a ZIP file.
 *
 * @param nodes its entry {@value #NODES}: the node as node YAML
 * @param pods its entry {@value #PODS}: what pods hold, and the last decision on one, as JSON
 * @param audit its entry {@value #AUDIT}: what a bridge predicted for that pod, as JSON; absent in a recording of {@code sim record}
 */
public record Recording(String nodes, String pods, Optional<String> audit) {

    private static final String NODES = "nodes.yaml";
    private static final String PODS = "pods.json";
    private static final String AUDIT = "audit.json";

    /** The most bytes of each entry. Recordings of the largest nodes are ten times smaller, and as trees they take many times as much memory. */
    private static final int MAX_BYTES = 8 << 20;

    /** Whether the file is to be read as a recording. */
    public static boolean isNamedBy(Path file) {
        return file.toString().endsWith(".zip");
    }

    /** @throws IOException naming the file, if it cannot be written; call it before the work */
    public static void requireWritable(Path file) throws IOException {
        Path directory = requireNonNull(file.toAbsolutePath().getParent());
        if (!Files.isDirectory(directory)) {
            throw new IOException(
                    "cannot write the recording: file=%s: directory=%s does not exist; create it, or choose another file"
                            .formatted(file, directory));
        }
        if (Files.isDirectory(file) || !Files.isWritable(Files.exists(file) ? file : directory)) {
            throw new IOException(
                    "cannot write the recording: file=%s may not be written; choose another file".formatted(file));
        }
    }

    public void write(Path file) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            entry(zip, NODES, nodes);
            entry(zip, PODS, pods);
            if (audit.isPresent()) {
                entry(zip, AUDIT, audit.get());
            }
        }
    }

    private static void entry(ZipOutputStream zip, String name, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    /** @throws UncheckedIOException naming the file, if it is no recording */
    public static Recording read(Path file) {
        try (ZipFile zip = new ZipFile(file.toFile())) {
            Optional<String> audit = zip.getEntry(AUDIT) == null ? Optional.empty() : Optional.of(text(zip, AUDIT));
            return new Recording(text(zip, NODES), text(zip, PODS), audit);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read a recording: file=%s: %s; give one of ./numaledger sim record or kubectl numa audit --save"
                            .formatted(file, e.getMessage()),
                    e);
        }
    }

    private static String text(ZipFile zip, String name) throws IOException {
        ZipEntry entry = zip.getEntry(name);
        if (entry == null) {
            throw new IOException("it has no " + name);
        }
        byte[] text = zip.getInputStream(entry).readNBytes(MAX_BYTES + 1);
        if (text.length > MAX_BYTES) {
            throw new IOException("its %s has more than %d bytes".formatted(name, MAX_BYTES));
        }
        return new String(text, StandardCharsets.UTF_8);
    }
}
