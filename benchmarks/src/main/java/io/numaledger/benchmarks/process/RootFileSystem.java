package io.numaledger.benchmarks.process;

import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;

/** The option of commands that start a program of an image. */
public final class RootFileSystem {

    @Option(
            names = "--rootfs",
            paramLabel = "DIR",
            showDefaultValue = Visibility.NEVER,
            description = "the program's root file system, run as in its pod (default: this build's classes)")
    private Optional<Path> path = Optional.empty();

    /** One that {@code ./numaledger rootfs} made; empty: the program runs from this build's classes. */
    public Optional<Path> path() {
        return path;
    }
}
