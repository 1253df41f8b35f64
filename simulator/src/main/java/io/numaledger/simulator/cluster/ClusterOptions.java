package io.numaledger.simulator.cluster;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;

/** Which cluster a command is about. */
public final class ClusterOptions {

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "directory that holds all of the cluster (default: $${TMPDIR:-/tmp}/numaledger-sim)")
    private Path directory;

    public Path directory() {
        return Optional.ofNullable(directory)
                .orElseGet(ClusterDirectory::byDefault)
                .toAbsolutePath()
                .normalize();
    }
}
