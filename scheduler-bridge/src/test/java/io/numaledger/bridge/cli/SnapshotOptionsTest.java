package io.numaledger.bridge.cli;

import io.numaledger.bridge.snapshot.GpuPreference;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SnapshotOptionsTest {

    private static GpuPreference preference(String... flags) {
        return CommandLine.populateCommand(new SnapshotOptions(), flags)
                .settings()
                .gpuLinks()
                .preference("nvidia.com/gpu");
    }

    @Test
    void aResourceHasNoPreferenceUnlessGiven() {
        assertThat(preference()).isEqualTo(GpuPreference.random);
        assertThat(preference("--gpu-preference=example.com/gpu=gpuallocator")).isEqualTo(GpuPreference.random);
        assertThat(preference("--gpu-preference=nvidia.com/gpu=gpuallocator")).isEqualTo(GpuPreference.gpuallocator);
    }

    @Test
    void rejectsAnUnknownPreference() {
        assertThatThrownBy(() -> preference("--gpu-preference=nvidia.com/gpu=links"))
                .hasMessageContaining("expected one of [random, gpuallocator]");
    }
}
