package io.numaledger.kubectl.ui;

import io.numaledger.kubectl.zones.ClusterSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import static java.util.Objects.requireNonNull;

/** A cluster as options of the command line name it. */
@Command
final class GivenCluster {

    @Mixin
    private final ClusterSource cluster;

    private GivenCluster(String kubectl) {
        cluster = new ClusterSource(kubectl);
    }

    static ClusterSource of(String kubectl, String... options) {
        GivenCluster given = new GivenCluster(kubectl);
        new CommandLine(given).parseArgs(options);
        return given.cluster;
    }

    static ClusterSource ofDump(Path file) {
        return of("/nowhere/kubectl", "--dump=" + file);
    }

    /** Four nodes with eight GPUs each; a group and two pods that wait. */
    static String gpus() {
        try (InputStream file = requireNonNull(GivenCluster.class.getResourceAsStream("gpus.yaml"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
