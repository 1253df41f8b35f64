package io.numaledger.agent.run;

import io.numaledger.agent.sysfs.SysfsTree;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import static io.numaledger.agent.run.AgentOnServer.holder;
import static org.assertj.core.api.Assertions.assertThat;

/** {@code agent once --dry-run --kubelet-state-dir}: the state files know pods by UID only. */
class DryRunTest {

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void printsWhatInitContainersKeep() throws IOException {
        try (AgentOnServer agent = agent()) {
            assertThat(run(directory.resolve("kubeconfig"))).isZero();
            assertThat(out.toString())
                    .contains(
                            "name: initContainerResources\n  value: published",
                            "{\\\"name\\\":\\\"warm-up\\\",\\\"cpus\\\":\\\"3\\\"}");
            assertThat(err.toString()).isEmpty();
        }
    }

    @Test
    void saysWhatTheStateDirectoryNeeds() throws IOException {
        try (AgentOnServer agent = agent()) {
            Path kubeconfig = directory.resolve("no-server");
            Files.writeString(
                    kubeconfig,
                    Files.readString(directory.resolve("kubeconfig")).replaceFirst("127.0.0.1:[0-9]+", "127.0.0.1:1"));
            assertThat(run(kubeconfig)).isZero();
            assertThat(out.toString()).contains("name: initContainerResources\n  value: unknown");
            assertThat(err.toString())
                    .startsWith(
                            "--kubelet-state-dir has no effect, since it needs the UIDs of the pods of node=worker: ");
        }
    }

    private AgentOnServer agent() throws IOException {
        new SysfsTree(directory.resolve("hardware")).twoNodes();
        Path state = Files.createDirectories(directory.resolve("kubelet"));
        AgentOnServer agent = new AgentOnServer(directory, false);
        agent.run("p");
        agent.kubelet.lists(holder("p", "1-2", 0));
        Files.writeString(
                state.resolve("cpu_manager_state"),
                "{\"entries\":{\"%s\":{\"c\":\"1-2\",\"warm-up\":\"1-3\"}}}"
                        .formatted(agent.uid(AgentOnServer.pod("p"))));
        Files.writeString(state.resolve("memory_manager_state"), "{}");
        return agent;
    }

    private int run(Path kubeconfig) {
        return new CommandLine(new OnceCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(
                        "--dry-run",
                        "--node-name=worker",
                        "--kubeconfig=" + kubeconfig,
                        "--podresources-socket=" + directory.resolve("kubelet.sock"),
                        "--sysfs-root=" + directory.resolve("hardware/sys"),
                        "--kubelet-state-dir=" + directory.resolve("kubelet"));
    }
}
