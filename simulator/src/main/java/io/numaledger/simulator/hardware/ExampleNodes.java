package io.numaledger.simulator.hardware;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Nodes that come with the simulator. */
public final class ExampleNodes {

    private ExampleNodes() {}

    /**
     * Three nodes with the same hardware and different Topology Manager policies: those of the demo, and the default of
     * {@code sim nodes}.
     */
    public static List<NodeSpec> read() throws IOException {
        return read("example-nodes.yaml");
    }

    /** A machine with 34 NUMA nodes, two of them with CPUs. */
    public static NodeSpec gb200() throws IOException {
        return read("gb200-node.yaml").get(0);
    }

    private static List<NodeSpec> read(String resource) throws IOException {
        try (InputStream yaml = ExampleNodes.class.getResourceAsStream(resource)) {
            return NodeSpecYaml.parse(new String(yaml.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
