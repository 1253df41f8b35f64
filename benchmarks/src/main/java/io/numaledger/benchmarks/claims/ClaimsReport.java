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

    String line(String run) {
        return "run=%s aligned=%d misaligned=%d refused=%d waiting=%d"
                .formatted(run, aligned, misaligned, refused, waiting);
    }
}
