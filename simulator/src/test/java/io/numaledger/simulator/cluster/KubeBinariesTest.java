package io.numaledger.simulator.cluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KubeBinariesTest {

    @TempDir
    private Path directory;

    private void script(String name, String says) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, "#!/bin/sh\necho '%s'\n".formatted(says));
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private KubeBinaries complete() throws IOException {
        for (String name : List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")) {
            script(name, "");
        }
        script("kubelet", "Kubernetes v1.36.3");
        script("kubelet-1.33", "Kubernetes v1.33.13");
        return new KubeBinaries(directory);
    }

    @Test
    void namesWhatIsMissing() throws IOException {
        script("etcd", "");
        script("kubelet", "Kubernetes v1.36.3");

        assertThatThrownBy(() -> new KubeBinaries(directory))
                .isInstanceOf(SimClusterException.class)
                .hasMessage(
                        "Kubernetes binaries are missing: directory=%s missing=kube-apiserver,kube-controller-manager,kube-scheduler; put them there or name another directory in KUBEBUILDER_ASSETS",
                        directory);
    }

    @Test
    void findsTheKubeletOfAVersion() throws IOException {
        KubeBinaries binaries = complete();

        assertThat(binaries.version()).isEqualTo("1.36");
        assertThat(binaries.otherKubelet()).isEqualTo("1.33");
        assertThat(binaries.kubelet("1.36")).isEqualTo(directory.resolve("kubelet"));
        assertThat(binaries.kubelet("1.33")).isEqualTo(directory.resolve("kubelet-1.33"));
        assertThatThrownBy(() -> binaries.kubelet("1.30"))
                .hasMessage(
                        "no kubelet of that version: directory=%s version=1.30; put it there as kubelet-1.30",
                        directory);
    }
}
