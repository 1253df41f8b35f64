package io.numaledger.simulator.demo;

import io.numaledger.simulator.SimulatorMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class DemoCommandTest {

    private static final Pattern COUNTS = Pattern.compile("(\\d+) ran, (\\d+) wait, (\\d+) refused by the kubelet");

    @TempDir
    Path none;

    @Test
    void morePodsRunWithTheBridgeAndNoneIsRefused() throws IOException {
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
        assertThat(out.toString())
                .contains("although the node had enough in total:", "waits for, by node:")
                .contains("pair-2gpu-c   cpu=8 memory=4Gi gpu=2     restricted: TopologyAffinityError");
        assertThat(out.toString().lines()).as("one screen").hasSizeLessThanOrEqualTo(40);
        for (String line : shownInReadme()) {
            assertThat(out.toString().lines()).as("README: " + line).anyMatch(said -> said.startsWith(line));
        }
    }

    /** Lines may be cut there. */
    private static List<String> shownInReadme() throws IOException {
        return Files.readAllLines(Path.of(System.getProperty("numaledger.root"), "README.md")).stream()
                .dropWhile(line -> !line.equals("$ ./numaledger demo"))
                .skip(1)
                .takeWhile(line -> !line.equals("```"))
                .map(line -> line.replaceFirst(" ?…$", "").replaceFirst("/tmp/.*", ""))
                .toList();
    }

    private static int number(MatchResult counts, int group) {
        return Integer.parseInt(counts.group(group));
    }

    @Test
    void doesNotWaitForAnAgentThatHasEnded() throws Exception {
        StringWriter err = new StringWriter();
        CommandLine line = SimulatorMain.commandLine().setErr(new PrintWriter(err, true));
        Set<ProcessHandle> ofOtherTests = ProcessHandle.current().children().collect(Collectors.toSet());
        Thread killer = new Thread(() -> {
            await().atMost(Duration.ofMinutes(3))
                    .until(() -> agents(ofOtherTests).findAny().isPresent());
            agents(ofOtherTests).forEach(ProcessHandle::destroyForcibly);
        });
        killer.start();

        assertThat(line.execute("demo", "--kube-assets=" + none)).isEqualTo(1);

        killer.join();
        assertThat(err.toString()).contains("an agent has ended: log=", "agent.log; the end of its log:");
    }

    private static Stream<ProcessHandle> agents(Set<ProcessHandle> others) {
        return ProcessHandle.current().children().filter(child -> !others.contains(child));
    }

    @Test
    void helpAndErrorsNameTheCommandAsTheLauncherDoes() throws Exception {
        assertThat(output("--help")).startsWith("Usage: ./numaledger demo ").doesNotContain("sim demo");
        assertThat(output("--foo")).endsWith("see ./numaledger demo --help\n");
        assertThat(SimulatorMain.commandLine().getUsageMessage()).doesNotContain("demo");
    }

    private String output(String... arguments) throws IOException, InterruptedException {
        Process demo = start(arguments);
        String output = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        demo.waitFor();
        return output;
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + none,
                "-cp",
                System.getProperty("java.class.path"),
                "io.numaledger.simulator.SimulatorMain",
                "demo"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @Test
    void terminationLeavesNoProcess() throws IOException, InterruptedException {
        Process demo = start("--keep", "--kube-assets=" + none);
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
