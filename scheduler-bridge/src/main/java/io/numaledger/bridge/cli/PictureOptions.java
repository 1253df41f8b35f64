package io.numaledger.bridge.cli;

import io.numaledger.bridge.node.PictureSettings;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.TreeSet;

/** How the ledger is built. */
public final class PictureOptions {

    @Option(
            names = "--trust-nrt-available",
            description =
                    "take the topologies' available amounts as they are, instead of allocatable less the known placements")
    private boolean trustAvailable;

    @Option(
            names = "--ignore-resources",
            split = ",",
            paramLabel = "NAME",
            description =
                    "resources that are never aligned; without effect on cpu and memory where the topology tells the managers' policies")
    private List<String> ignored = List.of();

    PictureSettings settings() {
        return new PictureSettings(trustAvailable, new TreeSet<>(ignored));
    }
}
