package io.numaledger.agent.exclude;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;

/** The exclusions of a file that may change at run time. If the file becomes invalid, the last valid exclusions stay in use. */
public final class ExclusionsFile implements ExclusionSource {

    private static final Logger log = LoggerFactory.getLogger(ExclusionsFile.class);

    private final Path file;
    private final String node;
    private final Exclusions flags;
    private Exclusions inForce;
    private Optional<Stamp> readAt;
    private boolean accepted = true;

    /** Identifies the content without reading it; the files of a ConfigMap change by a symbolic link. */
    private record Stamp(FileTime modified, long size, String key) {}

    /**
     * Reads the file for the first time.
     *
     * @param flags what flags say beside the file; their names win
     * @throws IOException if it cannot be used; the message names it, the part that is wrong, and what is expected
     */
    public ExclusionsFile(Path file, String node, Exclusions flags) throws IOException {
        this.file = file;
        this.node = node;
        this.flags = flags;
        this.readAt = stamp();
        this.inForce = read();
    }

    @Override
    public synchronized boolean changed() {
        return !stamp().equals(readAt);
    }

    @Override
    public synchronized Exclusions current() {
        Optional<Stamp> now = stamp();
        if (!now.equals(readAt)) {
            readAt = now;
            try {
                inForce = read();
                accepted = true;
                log.info("event=config.reloaded file={}", file);
            } catch (IOException e) {
                accepted = false;
                log.warn(
                        "event=config.rejected file={} reason='{}' effect='the last good one stays'",
                        file,
                        e.getMessage());
            }
        }
        return inForce;
    }

    @Override
    public synchronized boolean accepted() {
        return accepted;
    }

    private Optional<Stamp> stamp() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(new Stamp(
                    attributes.lastModifiedTime(), attributes.size(), Objects.toString(attributes.fileKey())));
        } catch (IOException e) {
            // Reading the file gives the reason.
            return Optional.empty();
        }
    }

    private Exclusions read() throws IOException {
        try {
            return flags.and(ExclusionsReader.read(node, Files.readString(file)));
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot read the configuration: file=%s does not exist; check --config".formatted(file), e);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the configuration: file=%s: %s"
                            .formatted(
                                    file,
                                    String.valueOf(e.getMessage())
                                            .lines()
                                            .findFirst()
                                            .orElse("")),
                    e);
        }
    }
}
