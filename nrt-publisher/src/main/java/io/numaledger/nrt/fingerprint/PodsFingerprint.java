package io.numaledger.nrt.fingerprint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The podfingerprint of a set of pods, version 1: a scheduler compares it with that of the pods that it knows of. Each pod's hash
 * is that of its name, seeded with that of its namespace; the hashes, in ascending unsigned order, are hashed once more.
 */
public final class PodsFingerprint {

    private static final String PREFIX = "pfp0v001";

    private PodsFingerprint() {}

    public static String of(Collection<PodName> pods) {
        ByteBuffer hashes = ByteBuffer.allocate(pods.size() * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        pods.stream().map(PodsFingerprint::hash).sorted(Long::compareUnsigned).forEach(hashes::putLong);
        return PREFIX + "%016x".formatted(XxHash64.hash(hashes.array(), 0));
    }

    private static long hash(PodName pod) {
        return XxHash64.hash(
                pod.name().getBytes(UTF_8), XxHash64.hash(pod.namespace().getBytes(UTF_8), 0));
    }

    /** XXH64 of a text, the hash that fingerprints and container placements share. */
    public static long hash(String text) {
        return XxHash64.hash(text.getBytes(UTF_8), 0);
    }
}
