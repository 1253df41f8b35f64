package io.numaledger.nrt.fingerprint;

/**
 * XXH64 of Yann Collet's xxHash, as its specification states it. Its own few lines: the one library that has it alone adds
 * 200 KB and a dozen further hashes to every node.
 */
final class XxHash64 {

    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int STRIPE = 32;

    private XxHash64() {}

    static long hash(byte[] input, long seed) {
        int at = 0;
        long hash;
        if (input.length >= STRIPE) {
            long[] lanes = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
            for (; at + STRIPE <= input.length; at += STRIPE) {
                for (int lane = 0; lane < lanes.length; lane++) {
                    lanes[lane] = round(lanes[lane], littleEndian(input, at + 8 * lane, 8));
                }
            }
            hash = converge(lanes);
        } else {
            hash = seed + PRIME_5;
        }
        return avalanche(tail(hash + input.length, input, at));
    }

    private static long converge(long[] lanes) {
        long hash = Long.rotateLeft(lanes[0], 1)
                + Long.rotateLeft(lanes[1], 7)
                + Long.rotateLeft(lanes[2], 12)
                + Long.rotateLeft(lanes[3], 18);
        for (long lane : lanes) {
            hash = (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
        }
        return hash;
    }

    private static long tail(long start, byte[] input, int from) {
        long hash = start;
        int at = from;
        for (; at + 8 <= input.length; at += 8) {
            hash = Long.rotateLeft(hash ^ round(0, littleEndian(input, at, 8)), 27) * PRIME_1 + PRIME_4;
        }
        if (at + 4 <= input.length) {
            hash = Long.rotateLeft(hash ^ (littleEndian(input, at, 4) * PRIME_1), 23) * PRIME_2 + PRIME_3;
            at += 4;
        }
        for (; at < input.length; at++) {
            hash = Long.rotateLeft(hash ^ ((input[at] & 0xFFL) * PRIME_5), 11) * PRIME_1;
        }
        return hash;
    }

    private static long round(long lane, long word) {
        return Long.rotateLeft(lane + word * PRIME_2, 31) * PRIME_1;
    }

    private static long avalanche(long hash) {
        long mixed = (hash ^ (hash >>> 33)) * PRIME_2;
        mixed = (mixed ^ (mixed >>> 29)) * PRIME_3;
        return mixed ^ (mixed >>> 32);
    }

    private static long littleEndian(byte[] input, int at, int bytes) {
        long word = 0;
        for (int i = bytes - 1; i >= 0; i--) {
            word = word << 8 | (input[at + i] & 0xFFL);
        }
        return word;
    }
}
