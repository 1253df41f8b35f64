package io.numaledger.gpu;

/**
 * How far apart two PCI devices are, in the words of {@code nvidia-smi topo -m}, nearest first. The scores are those of
 * NVIDIA's gpuallocator, so that sums of them order sets of GPUs as its users expect.
 */
public enum PcieLevel {
    /** At most one PCIe switch lies between the two. */
    PIX(50),
    /** Several PCIe switches, but no host bridge. */
    PXB(40),
    /** One host bridge lies between the two. */
    PHB(30),
    /** Two host bridges of one NUMA node. */
    NODE(20),
    /** The interconnect between NUMA nodes. */
    SYS(10);

    private final int score;

    PcieLevel(int score) {
        this.score = score;
    }

    /** Greater is nearer. */
    public int score() {
        return score;
    }
}
