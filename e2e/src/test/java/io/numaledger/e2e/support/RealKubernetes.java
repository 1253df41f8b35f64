package io.numaledger.e2e.support;

import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.nio.file.Files;
import java.util.Optional;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The binaries that the tests run on, and clusters of them. */
public final class RealKubernetes {

    private RealKubernetes() {}

    /** Skips the test, saying what to set, when there are no binaries. */
    public static KubeBinaries binaries() {
        Optional<KubeBinaries> binaries = KubeBinaries.fromEnvironment();
        assumeTrue(
                binaries.isPresent(),
                "skipped: set %s to a directory with a kubelet and the control plane".formatted(KubeBinaries.VARIABLE));
        assumeTrue(
                Files.isExecutable(binaries.orElseThrow().directory().resolve("helm")),
                "skipped: %s has no helm, which renders the rights".formatted(KubeBinaries.VARIABLE));
        return binaries.orElseThrow();
    }

    /** The version of a kubelet that lies beside the main one: {@code major.minor}. */
    public static String otherKubelet() {
        return binaries().otherKubelet();
    }

    /** A cluster of the nodes in the YAML text, all of them Ready. */
    public static SimCluster cluster(String nodes) {
        return SimCluster.builder(binaries()).nodes(NodeSpecYaml.parse(nodes)).start();
    }
}
