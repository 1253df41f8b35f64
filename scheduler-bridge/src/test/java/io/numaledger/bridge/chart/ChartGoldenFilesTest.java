package io.numaledger.bridge.chart;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** What the chart renders in each mode, for Kubernetes 1.36. To write the files: -Dnumaledger.update=true. */
class ChartGoldenFilesTest {

    private static final Path GOLDEN = Helm.ROOT.resolve("scheduler-bridge/src/test/resources/chart");

    private static Helm helm;

    @BeforeAll
    static void find() {
        helm = Helm.find();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"kai", "scheduler", "reconfigured"})
    void rendersTheReviewedObjects(String mode) throws IOException, InterruptedException {
        Path golden = GOLDEN.resolve(mode + ".yaml");
        String rendered = helm.template("--set=mode=" + mode);
        if (Boolean.getBoolean("numaledger.update")) {
            Files.writeString(golden, rendered);
        }
        assertThat(rendered)
                .as("%s changed: run this test with -Dnumaledger.update=true and review the difference", golden)
                .isEqualTo(Files.readString(golden));
    }
}
