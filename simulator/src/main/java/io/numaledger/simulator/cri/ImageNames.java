package io.numaledger.simulator.cri;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of images, such as {@code example.com/agent:1}, and ids made from them: the same name always has the same id. */
public final class ImageNames {

    private static final String PREFIX = "sha256:";

    private ImageNames() {}

    /** The name without tag and digest. */
    public static String repository(String name) {
        return name.replaceFirst("@.*$", "").replaceFirst(":[^:/]*$", "");
    }

    /** The name with its digest, or else with its tag, which is {@code latest} if it has neither. */
    public static String exact(String name) {
        String repository = repository(name);
        int digest = name.indexOf('@');
        if (digest >= 0) {
            return repository + name.substring(digest);
        }
        return name.equals(repository) ? repository + ":latest" : name;
    }

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
