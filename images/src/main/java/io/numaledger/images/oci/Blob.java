package io.numaledger.images.oci;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A file that an image names by its content.
 *
 * @param digest such as {@code sha256:12…}
 */
public record Blob(Path file, String digest, long sizeBytes) {

    public static Blob of(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = Files.newInputStream(file);
                OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            in.transferTo(out);
        }
        return new Blob(file, text(digest), Files.size(file));
    }

    /** Its path in the OCI image layout. */
    String path() {
        return "blobs/" + digest.replace(':', '/');
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static String text(MessageDigest digest) {
        return "sha256:" + HexFormat.of().formatHex(digest.digest());
    }
}
