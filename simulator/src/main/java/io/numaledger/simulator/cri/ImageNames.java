package io.numaledger.simulator.cri;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Image ids, made from the names: the same name always has the same id. */
final class ImageNames {

    private static final String PREFIX = "sha256:";

    private ImageNames() {}

    /** A name that is an id already stays as it is: the kubelet asks by either. */
    static String id(String name) {
        if (name.startsWith(PREFIX)) {
            return name;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return PREFIX + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException cause) {
            throw new IllegalStateException(
                    "cannot make an image id: algorithm=SHA-256; use a Java runtime with the standard algorithms",
                    cause);
        }
    }
}
