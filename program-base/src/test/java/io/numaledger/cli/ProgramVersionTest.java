package io.numaledger.cli;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProgramVersionTest {

    @Test
    void namesTheVersionAndTheCommitOfTheBuild() {
        ProgramVersion version = new ProgramVersion();
        assertThat(version.version()).matches("\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
        assertThat(version.commit()).matches("[0-9a-f]{7,}|unknown");
        assertThat(version.getVersion())
                .containsExactly("numaledger " + version.version() + " (commit " + version.commit() + ")");
    }
}
