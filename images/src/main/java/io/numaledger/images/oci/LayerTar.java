package io.numaledger.images.oci;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** A compressed layer that depends on the content of its files only: one owner, one time, two modes, sorted paths. */
record LayerTar(Blob blob, String diffId) {

    /** The time of every file, as in the build's jars. The class archive holds it, so {@code rootfs.sh} sets the same. */
    static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

    private static final int DIRECTORY = 0755;
    private static final int SHARED_DIRECTORY = 01777;
    private static final int EXECUTABLE = 0755;
    private static final int FILE = 0644;

    /**
     * Writes the layer.
     *
     * @param paths the files and directories of the layer, sorted
     */
    static LayerTar write(Path root, List<Path> paths, Path file) throws IOException {
        MessageDigest content = Blob.sha256();
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file));
                TarArchiveOutputStream tar = new TarArchiveOutputStream(
                        new DigestOutputStream(new GZIPOutputStream(out), content), StandardCharsets.UTF_8.name())) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            for (Path path : paths) {
                add(tar, path, root.relativize(path).toString());
            }
        }
        return new LayerTar(Blob.of(file), Blob.text(content));
    }

    private static void add(TarArchiveOutputStream tar, Path path, String name) throws IOException {
        if (Files.isSymbolicLink(path)) {
            TarArchiveEntry link = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
            link.setLinkName(Files.readSymbolicLink(path).toString());
            put(tar, link, 0777);
        } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            put(tar, new TarArchiveEntry(name + "/"), name.equals("tmp") ? SHARED_DIRECTORY : DIRECTORY);
        } else {
            TarArchiveEntry entry = new TarArchiveEntry(name);
            entry.setSize(Files.size(path));
            put(tar, entry, Files.isExecutable(path) ? EXECUTABLE : FILE);
            Files.copy(path, tar);
        }
        tar.closeArchiveEntry();
    }

    private static void put(TarArchiveOutputStream tar, TarArchiveEntry entry, int mode) throws IOException {
        entry.setMode(mode);
        entry.setIds(0, 0);
        entry.setNames("root", "root");
        entry.setLastModifiedTime(FileTime.from(TIME));
        tar.putArchiveEntry(entry);
    }
}
