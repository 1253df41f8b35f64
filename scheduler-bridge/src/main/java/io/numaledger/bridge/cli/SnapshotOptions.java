package io.numaledger.bridge.cli;

import io.numaledger.bridge.snapshot.SnapshotSettings;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.TreeSet;

/** How node snapshots are built. */
public final class SnapshotOptions {

    @Option(
            names = "--trust-nrt-available",
            description =
                    "use the available amounts of NodeResourceTopology objects, instead of allocatable less the known placements")
    private boolean trustAvailable;

    @Option(
            names = "--ignore-resources",
            split = ",",
            paramLabel = "NAME",
            description =
                    "resources that are never aligned; no effect on cpu and memory where the NodeResourceTopology has the managers' policies")
    private List<String> ignored = List.of();

    SnapshotSettings settings() {
        return new SnapshotSettings(trustAvailable, new TreeSet<>(ignored));
    }
}
