package io.numaledger.agent.sysfs;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class NumberedNamesTest {

    private static final List<String> NAMES = List.of(
            "node-1",
            "node0",
            "node01",
            "node10",
            "node2",
            "node250",
            "node99999999999",
            "online",
            "nodes",
            "possible");

    @Test
    void takesIdsInNumericOrder() {
        assertThat(NumberedNames.ids("node", NAMES)).containsExactly(0, 2, 10, 250);
    }

    @Test
    void namesIdsThatNoKernelWrites() {
        assertThat(NumberedNames.malformed("node", NAMES)).containsExactly("node-1", "node01", "node99999999999");
    }
}
