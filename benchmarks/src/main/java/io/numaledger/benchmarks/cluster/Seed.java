package io.numaledger.benchmarks.cluster;

import picocli.CommandLine.Option;

/** The option of commands that draw what happens at random. */
public final class Seed {

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "of what is drawn at random; the same seed draws the same")
    private long value;

    public Seed(long value) {
        this.value = value;
    }

    public long value() {
        return value;
    }
}
