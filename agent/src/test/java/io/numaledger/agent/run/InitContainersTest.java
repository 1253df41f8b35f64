package io.numaledger.agent.run;

import io.numaledger.annotation.Annotations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** Resources that a pod keeps from a finished init container. Only the kubelet's state files show them. */
class InitContainersTest {

    private static final String ATTRIBUTE = "initContainerResources";

    @TempDir
    private Path directory;

    private AgentOnServer agent;

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    @Test
    void chargesAndRecordsWhatAnInitContainerKeeps() throws IOException {
        start(true);
        states("{\"%s\":{\"c\":\"1-2\",\"warm-up\":\"1-5\"}}".formatted(agent.uid(AgentOnServer.pod("p"))));
        agent.reconcile();
        assertThat(agent.available(0, "cpu")).isEqualTo(2000);
        assertThat(agent.annotations("p"))
                .containsEntry(Annotations.OBSERVED, "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"5\"}}]")
                .containsEntry(
                        Annotations.PLACEMENT,
                        "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"1-2\"},{\"name\":\"warm-up\",\"cpus\":\"3-5\"}]}");
        assertThat(agent.topology().attributes()).containsEntry(ATTRIBUTE, "published");
    }

    @Test
    void takesTheStateOfAnEarlierInstanceForNobodys() throws IOException {
        start(true);
        states("{\"an-earlier-uid\":{\"c\":\"1-2\",\"warm-up\":\"1-5\"}}");
        agent.reconcile();
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
    }

    /** The API server has a mirror pod, whose UID is not in the kubelet's state files. */
    @Test
    void knowsAStaticPodByTheUidThatTheKubeletHasForIt() throws IOException {
        start(true);
        agent.annotate("p", "kubernetes.io/config.mirror", "0a1b2c");
        states("{\"0a1b2c\":{\"c\":\"1-2\",\"warm-up\":\"1-5\"}}");
        agent.reconcile();
        assertThat(agent.available(0, "cpu")).isEqualTo(2000);
    }

    @Test
    void chargesTheDevicesThatNoOtherContainerTookOver() throws IOException {
        start(true);
        states("{}");
        Path plugins = Files.createDirectory(directory.resolve("kubelet/device-plugins"));
        Files.writeString(
                plugins.resolve("kubelet_internal_checkpoint"), """
                {"Data":{"PodDeviceEntries":[{"PodUID":"%s","ContainerName":"warm-up","ResourceName":"nvidia.com/gpu","DeviceIDs":{"0":["gpu-0","gpu-1"]}}]}}
                """.formatted(agent.uid(AgentOnServer.pod("p"))));
        agent.kubelet.lists(holder("p", "1-2", 0, AgentOnServer.gpu("gpu-1", 0)));
        agent.reconcile();
        assertThat(agent.annotations("p"))
                .containsEntry(
                        Annotations.PLACEMENT,
                        "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"1-2\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"0\",\"ids\":[\"gpu-1\"]}]},"
                                + "{\"name\":\"warm-up\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"0\",\"ids\":[\"gpu-0\"]}]}]}");
    }

    /** As after a restart of a kubelet that gave the pod other CPUs. Seen once, it may be a moment of an admission. */
    @Test
    void publishesTheCpusThatTheKubeletGivesToNobody() throws IOException {
        start(true);
        agent.reconcile();
        assertThat(agent.topology().attributes()).doesNotContainKey("unheldCpus");
        Files.writeString(
                directory.resolve("kubelet/cpu_manager_state"),
                "{\"policyName\":\"static\",\"defaultCpuSet\":\"0,5-15\",\"entries\":{\"uid\":{\"c\":\"1-2\"}},\"checksum\":1}");
        assertThat(agent.reconcile().settled()).isFalse();
        assertThat(agent.topology().attributes()).doesNotContainKey("unheldCpus");
        assertThat(agent.reconcile().settled()).isTrue();
        assertThat(agent.topology().attributes()).containsEntry("unheldCpus", "3-4");
        assertThat(agent.available(0, "cpu")).isEqualTo(3000);
    }

    @Test
    void saysThatItDoesNotKnowWithoutTheFiles() throws IOException {
        start(false);
        agent.reconcile();
        assertThat(agent.topology().attributes()).containsEntry(ATTRIBUTE, "unknown");
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
    }

    @Test
    void publishesTheRestOverAFileThatCannotBeRead() throws IOException {
        start(true);
        Files.writeString(directory.resolve("kubelet/cpu_manager_state"), "{\"entries\":");
        assertThat(agent.reconcile().errors()).isEmpty();
        assertThat(agent.topology().attributes()).containsEntry(ATTRIBUTE, "unknown");
        assertThat(agent.available(0, "cpu")).isEqualTo(5000);
    }

    private void start(boolean stateFiles) throws IOException {
        if (stateFiles) {
            Files.createDirectory(directory.resolve("kubelet"));
            states("{}");
        }
        agent = new AgentOnServer(directory, false);
        agent.run("p");
        agent.kubelet.lists(holder("p", "1-2", 0));
    }

    private void states(String entries) throws IOException {
        Files.writeString(
                directory.resolve("kubelet/cpu_manager_state"),
                "{\"policyName\":\"static\",\"defaultCpuSet\":\"0-15\",\"entries\":%s,\"checksum\":1}"
                        .formatted(entries));
        Files.writeString(
                directory.resolve("kubelet/memory_manager_state"), "{\"policyName\":\"None\",\"checksum\":1}");
    }
}
