package io.numaledger.kubelet.config;

import java.util.Optional;
import java.util.stream.Stream;

/** The options of the CPU Manager's static policy (cm/cpumanager/policy_options.go). */
public enum CpuOption {
    FULL_PCPUS_ONLY("full-pcpus-only", 0, 23, 33),
    DISTRIBUTE_CPUS_ACROSS_NUMA("distribute-cpus-across-numa", 23, 33, 0),
    ALIGN_BY_SOCKET("align-by-socket", 25, 0, 0),
    DISTRIBUTE_CPUS_ACROSS_CORES("distribute-cpus-across-cores", 31, 0, 0),
    STRICT_CPU_RESERVATION("strict-cpu-reservation", 32, 33, 35),
    PREFER_ALIGN_CPUS_BY_UNCORECACHE("prefer-align-cpus-by-uncorecache", 32, 34, 36);

    private final String text;
    private final int alpha;
    private final int beta;
    private final int stable;

    CpuOption(String text, int alpha, int beta, int stable) {
        this.text = text;
        this.alpha = alpha;
        this.beta = beta;
        this.stable = stable;
    }

    static Optional<CpuOption> named(String text) {
        return Stream.of(values()).filter(each -> each.text.equals(text)).findFirst();
    }

    Maturity in(KubeletVersion version) {
        return Maturity.in(version, alpha, beta, stable);
    }

    @Override
    public String toString() {
        return text;
    }
}
