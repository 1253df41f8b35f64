package io.numaledger.agent.config;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GoFlagsTest {

    @Test
    void givesLongFlagsTheirSecondDash() {
        assertThat(GoFlags.toTwoDashes("once", "-node-name=a", "-qps", "5", "--burst=7", "-o", "json", "-h"))
                .containsExactly("once", "--node-name=a", "--qps", "5", "--burst=7", "-o", "json", "-h");
    }

    @Test
    void dropsTheLoggingFlagsOfKaisExporterWithTheirValues() {
        assertThat(GoFlags.toTwoDashes(
                        "--zap-devel",
                        "--zap-log-level",
                        "debug",
                        "-zap-encoder=json",
                        "--zap-time-encoding=iso8601",
                        "--node-name=a"))
                .containsExactly("--node-name=a");
    }
}
