package io.numaledger.simulator.demo;

import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The nodes of the demo: the same hardware three times, under different policies. */
public final class DemoNodes {

    private DemoNodes() {}

    public static List<NodeSpec> read() throws IOException {
        try (InputStream yaml = DemoNodes.class.getResourceAsStream("nodes.yaml")) {
            return NodeSpecYaml.parse(new String(yaml.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
