package io.numaledger.images.command;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code mvn verify} says at its end, from the reports of its tests. */
class SkippedTest {

    private static final String REPORT = """
            <testsuite><testcase name="a"/>
              <testcase name="b">
                <skipped type="T"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: %s
            	at org.junit.jupiter.api.Assumptions]]></skipped>
              </testcase></testsuite>
            """;

    @TempDir
    private Path project;

    @Test
    void countsTheReasonsOfAllModules() throws Exception {
        Files.createDirectory(project.resolve("kubernetes"));
        report("agent", "A", "skipped: no C compiler (cc, gcc, clang) on the PATH");
        report("bridge", "B", "KUBEBUILDER_ASSETS does not name a directory with etcd and kube-apiserver");
        report("bridge", "C", "KUBEBUILDER_ASSETS does not name a directory with etcd and kube-apiserver");

        assertThat(skipped("none")).isEqualTo("""
                skipped: all tests on real kubelets (e2e): KUBEBUILDER_ASSETS names no directory with kubelet
                skipped: 2 tests: KUBEBUILDER_ASSETS does not name a directory with etcd and kube-apiserver
                skipped: 1 tests: no C compiler (cc, gcc, clang) on the PATH
                To run them as well, see docs/develop.md#build.
                """);
    }

    @Test
    void isQuietWhenAllTestsRan() throws Exception {
        Path kubelet = Files.writeString(
                Files.createDirectory(project.resolve("kubernetes")).resolve("kubelet"), "#!/bin/sh\n");
        assertThat(kubelet.toFile().setExecutable(true)).isTrue();
        Files.createDirectories(project.resolve("agent/target/surefire-reports"));

        assertThat(skipped("kubernetes")).isEmpty();
    }

    private void report(String module, String name, String reason) throws IOException {
        Path reports = Files.createDirectories(project.resolve(module).resolve("target/surefire-reports"));
        Files.writeString(reports.resolve("TEST-" + name + ".xml"), REPORT.formatted(reason));
    }

    private String skipped(String binaries) throws IOException, InterruptedException {
        Path script = Files.createDirectory(project.resolve(".ci")).resolve("skipped");
        Files.copy(
                Path.of(System.getProperty("numaledger.root"), ".ci/skipped"),
                script,
                StandardCopyOption.COPY_ATTRIBUTES);
        ProcessBuilder builder = new ProcessBuilder(script.toString()).redirectErrorStream(true);
        builder.environment()
                .put("KUBEBUILDER_ASSETS", project.resolve(binaries).toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output;
    }
}
