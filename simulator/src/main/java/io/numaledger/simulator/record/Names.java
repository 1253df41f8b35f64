package io.numaledger.simulator.record;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Names in a recording: as they are, or hashed with a salt that is thrown away, so that equal names stay equal within it. */
interface Names extends UnaryOperator<String> {

    static Names kept() {
        return name -> name;
    }

    static Names hashed() {
        String salt = UUID.randomUUID().toString();
        return name -> "x" + HexFormat.of().formatHex(sha256(salt + name), 0, 6);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
