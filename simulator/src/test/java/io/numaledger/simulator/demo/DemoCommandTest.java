package io.numaledger.simulator.demo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class DemoCommandTest {

    private static final Pattern COUNTS = Pattern.compile("(\\d+) ran, (\\d+) wait, (\\d+) refused by the kubelet");

    @TempDir
    Path none;

    @Test
    void morePodsRunWithTheBridgeAndNoneIsRefused() {
        StringWriter out = new StringWriter();
        int status =
                new CommandLine(new DemoCommand()).setOut(new PrintWriter(out)).execute("--kube-assets=" + none);

        assertThat(status).isZero();
        List<MatchResult> counts = COUNTS.matcher(out.toString()).results().collect(Collectors.toList());
        assertThat(counts).hasSize(2);
        assertThat(number(counts.get(0), 3)).isPositive();
        assertThat(number(counts.get(1), 3)).isZero();
        assertThat(number(counts.get(1), 2)).isPositive();
        assertThat(number(counts.get(1), 1)).isGreaterThan(number(counts.get(0), 1));
        assertThat(out.toString()).contains("and not elsewhere:", "waits for:");
    }

    private static int number(MatchResult counts, int group) {
        return Integer.parseInt(counts.group(group));
    }

    @Test
    void terminationLeavesNoProcess() throws IOException, InterruptedException {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.numaledger.simulator.SimulatorMain",
                        "demo",
                        "--keep",
                        "--kube-assets=" + none)
                .redirectErrorStream(true)
                .start();
        List<ProcessHandle> children;
        try (BufferedReader said = demo.inputReader()) {
            assertThat(said.lines().anyMatch(line -> line.startsWith("Look around")))
                    .isTrue();
            children = demo.descendants().toList();
            assertThat(children).isNotEmpty();
        } finally {
            demo.destroy();
        }
        assertThat(demo.waitFor(3, TimeUnit.MINUTES)).isTrue();
        await().atMost(Duration.ofMinutes(3)).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }
}
