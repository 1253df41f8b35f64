package io.numaledger.kubelet.config;

/** How far a policy option has come in one release. */
enum Maturity {
    UNKNOWN,
    ALPHA,
    BETA,
    STABLE;

    /** The maturity in a release, from the first releases of each stage; 0 if the stage has not been reached. */
    static Maturity in(KubeletVersion version, int alpha, int beta, int stable) {
        if (stable > 0 && version.minor() >= stable) {
            return STABLE;
        }
        if (beta > 0 && version.minor() >= beta) {
            return BETA;
        }
        return alpha > 0 && version.minor() >= alpha ? ALPHA : UNKNOWN;
    }
}
