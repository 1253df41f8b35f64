package io.numaledger.agent.kubelet;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.KubeletSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KubeletConfigFileTest {

    @TempDir
    Path directory;

    @Test
    void readsTheFieldsThatMatterAndTheKubeletsDefaultsForTheOthers() throws IOException {
        KubeletSettings settings = KubeletConfigFile.parse("""
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                topologyManagerPolicy: restricted
                topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true"}
                cpuManagerPolicy: static
                cpuManagerPolicyOptions:
                  full-pcpus-only: "true"
                evictionHard: {memory.available: 100Mi}
                clusterDNS: [10.0.0.1]
                """);
        assertThat(settings.topologyManagerPolicy()).contains(TopologyPolicyName.RESTRICTED);
        assertThat(settings.topologyManagerScope()).contains(TopologyScope.CONTAINER);
        assertThat(settings.topologyManagerPolicyOptions()).containsEntry("prefer-closest-numa-nodes", "true");
        assertThat(settings.cpuManagerPolicy()).contains(CpuPolicy.STATIC);
        assertThat(settings.cpuManagerPolicyOptions()).containsEntry("full-pcpus-only", "true");
        assertThat(settings.memoryManagerPolicy()).contains(MemoryPolicy.NONE);
    }

    @Test
    void namesTheFileAndTheFieldThatNoKubeletTakes() throws IOException {
        Path file = Files.writeString(directory.resolve("kubelet.yaml"), "topologyManagerPolicy: strict\n");
        assertThatThrownBy(() -> KubeletConfigFile.read(file))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "cannot use the kubelet's configuration: file=%s: topologyManagerPolicy is 'strict'; "
                                + "expected none, best-effort, restricted, single-numa-node",
                        file);
    }

    @Test
    void saysThatTheFileIsNotThereOrNoConfiguration() throws IOException {
        Path missing = directory.resolve("none.yaml");
        assertThatThrownBy(() -> KubeletConfigFile.read(missing))
                .hasMessage(
                        "cannot read the kubelet's configuration: file=%s does not exist; check --kubelet-config",
                        missing);
        Path list = Files.writeString(directory.resolve("list.yaml"), "- 1\n");
        assertThatThrownBy(() -> KubeletConfigFile.read(list))
                .hasMessageContaining("it is no KubeletConfiguration: the document is no mapping");
    }
}
