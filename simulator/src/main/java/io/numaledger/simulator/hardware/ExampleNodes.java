package io.numaledger.simulator.hardware;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Three nodes with the same hardware and different Topology Manager policies: those of the demo, and the default of {@code sim nodes}. */
public final class ExampleNodes {

    private ExampleNodes() {}

    public static List<NodeSpec> read() throws IOException {
        try (InputStream yaml = ExampleNodes.class.getResourceAsStream("example-nodes.yaml")) {
            return NodeSpecYaml.parse(new String(yaml.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
