package io.numaledger.agent.sysfs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads small text files, lists directories, and collects warnings. A missing file is absent without a warning. A file that cannot be read or parsed is absent with a warning.
 */
public final class SysfsReader {

    /** The longest files that we read are node lists of some ten kilobytes. */
    private static final int MAX_BYTES = 1 << 20;

    /** Directories of large machines have some thousand entries. */
    private static final int MAX_NAMES = 1 << 16;

    private final List<String> warnings = new ArrayList<>();

    /** Keeps a sentence on one line, whatever a file or its name put into it. */
    public void warning(String sentence) {
        warnings.add(sentence.replaceAll("[\\p{Cntrl}\\x80-\\x9f]", "?"));
    }

    public List<String> warnings() {
        return warnings;
    }

    /**
     * The file's text without the NUL bytes and blanks that old kernels and captures leave at its end.
     * Reads to the end of the file: since Linux 5.15 the size of cpulist and cpumap is not their length.
     */
    public Optional<String> text(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1);
            return Optional.of(text.replace('\0', ' ').strip());
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException e) {
            warning(
                    ("cannot read a file: path=%s (%s); the probe continues without it; check that sysfs is mounted and "
                                    + "that the agent's user may read it")
                            .formatted(file, reason(e)));
            return Optional.empty();
        }
    }

    /** The parsed content of the file. A parser throws IllegalArgumentException with the reason for an invalid text. */
    public <T> Optional<T> parsed(Path file, Function<String, T> parser) {
        return text(file).flatMap(text -> parsed(file, text, parser));
    }

    /** What the parser makes of a text that came from a path, or is part of it. */
    <T> Optional<T> parsed(Path source, String text, Function<String, T> parser) {
        try {
            return Optional.of(parser.apply(text));
        } catch (IllegalArgumentException junk) {
            warning("cannot use a file: path=%s: %s; the probe continues without it; check that file on the host"
                    .formatted(source, junk.getMessage()));
            return Optional.empty();
        }
    }

    /** The names in a directory, sorted; none when there is no such directory. */
    public List<String> names(Path directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (names.size() == MAX_NAMES) {
                    warning("too many entries in a directory: path=%s; the probe continues with %d of them"
                            .formatted(directory, MAX_NAMES));
                    break;
                }
                names.add(entry.getFileName().toString());
            }
        } catch (NoSuchFileException | NotDirectoryException absent) {
            return List.of();
        } catch (IOException | DirectoryIteratorException e) {
            warning(
                    ("cannot list a directory: path=%s (%s); the probe continues without it; check that sysfs is mounted "
                                    + "and that the agent's user may read it")
                            .formatted(directory, reason(e)));
        }
        names.sort(null);
        return names;
    }

    private static String reason(Exception e) {
        if (e instanceof FileSystemException failure && failure.getReason() != null) {
            return failure.getReason();
        }
        return e.getMessage() == null || e instanceof FileSystemException
                ? e.getClass().getSimpleName()
                : e.getMessage();
    }
}
