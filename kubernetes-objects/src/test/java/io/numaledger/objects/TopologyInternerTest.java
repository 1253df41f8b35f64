package io.numaledger.objects;

import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import org.junit.jupiter.api.Test;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;

class TopologyInternerTest {

    private static NodeTopology topology(String node) throws IOException {
        return NodeTopologyJson.read("""
                {"metadata":{"name":"%1$s"},"attributes":[{"name":"topologyManagerPolicy","value":"restricted"},
                {"name":"nodeTopologyPodsFingerprint","value":"of %1$s"}],
                "zones":[{"name":"node-0","type":"Node","costs":[{"name":"node-0","value":10}],
                "attributes":[{"name":"cpus","value":"0-7"}],
                "resources":[{"name":"cpu","capacity":"8","allocatable":"8","available":"8"}]}]}""".formatted(node));
    }

    @Test
    void nodesShareWhatIsEqual() throws IOException {
        TopologyInterner interner = new TopologyInterner();

        NodeTopology a = interner.interned(topology("a"));
        NodeTopology b = interner.interned(topology("b"));

        assertThat(a).isEqualTo(topology("a"));
        assertThat(b).isEqualTo(topology("b"));
        assertThat(b.zones().get(0).costs()).isSameAs(a.zones().get(0).costs());
        assertThat(b.zones().get(0).attributes()).isSameAs(a.zones().get(0).attributes());
        assertThat(b.zones().get(0).name()).isSameAs(a.zones().get(0).name());
    }
}
