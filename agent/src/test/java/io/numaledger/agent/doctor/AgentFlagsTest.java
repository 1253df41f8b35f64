package io.numaledger.agent.doctor;

import io.numaledger.agent.run.RunCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class AgentFlagsTest {

    @TempDir
    private Path directory;

    private AgentFlags flags(String commandLine) throws IOException {
        Path file = Files.writeString(directory.resolve("cmdline"), commandLine.replace(' ', '\0') + "\0");
        return AgentFlags.of(file, new CommandLine(new RunCommand()));
    }

    @Test
    void areThoseOfTheFirstProcess() throws IOException {
        assertThat(flags("/jre/bin/java @/agent.args /bin/agent run --sysfs-root=/host/sys --kubelet-insecure-tls"
                                + " -podresources-socket /x/kubelet.sock --kubelet-configz=false")
                        .values())
                .isEqualTo(Map.of(
                        "--sysfs-root", "/host/sys",
                        "--kubelet-insecure-tls", "true",
                        "--podresources-socket", "/x/kubelet.sock",
                        "--kubelet-configz", "false"));
        assertThat(flags("/jre/bin/java @/agent.args /bin/agent --sysfs-root=/host/sys")
                        .values())
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/usr/lib/systemd/systemd --system",
                "/jre/bin/java @/agent.args /bin/agent doctor --sysfs-root=/host/sys",
                "/jre/bin/java @/agent.args /bin/agent run --no-such-flag",
                "/jre/bin/java @/agent.args /bin/agent",
                ""
            })
    void areNoneOfAnotherProcess(String commandLine) throws IOException {
        assertThat(flags(commandLine).values()).isEmpty();
        assertThat(AgentFlags.of(directory.resolve("none"), new CommandLine(new RunCommand()))
                        .values())
                .isEmpty();
    }

    @Test
    void areTheDoctorsUnlessItHasItsOwn() throws IOException {
        StringWriter out = new StringWriter();
        new CommandLine(new DoctorCommand())
                .setOut(new PrintWriter(out))
                .setExecutionExceptionHandler((noApiServer, line, parsed) -> 1)
                .setDefaultValueProvider(flags(
                        "/jre/bin/java @/agent.args /bin/agent run --podresources-socket=/agents.sock --sysfs-root=/agents"
                                + " --resync-interval=1m"))
                .execute("--sysfs-root=" + directory, "--node-name=n", "--kubeconfig=" + directory.resolve("none"));

        assertThat(out.toString())
                .contains("ok    flags           as the agent of this container: --podresources-socket\n")
                .contains("socket=/agents.sock; start the kubelet")
                .contains("sysfs shows no NUMA node");
    }
}
