package io.numaledger.benchmarks.claims;

/**
 * What became of the pods.
 *
 * @param aligned run with their CPUs and their device on one NUMA node
 * @param misaligned run otherwise
 * @param refused by their kubelet
 * @param waiting for a node, or for their device
 */
record ClaimsReport(int aligned, int misaligned, int refused, int waiting) {

    /** All others wait. */
    static ClaimsReport of(ClaimsMix mix, int aligned) {
        return new ClaimsReport(aligned, 0, 0, mix.size() - aligned);
    }

    String figures() {
        return "aligned=%d misaligned=%d refused=%d waiting=%d".formatted(aligned, misaligned, refused, waiting);
    }
}
