package io.numaledger.e2e.install;

import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.e2e.support.NumaPlugin;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs commands as a user would, in the top directory of the source code, and those of a page of the documentation. */
final class UserShell {

    private static final Path PROJECT = Path.of(System.getProperty("numaledger.root"));
    /** A block of commands; in a list, it is indented. */
    private static final Pattern COMMANDS = Pattern.compile("(?ms)^ *```sh\n(.*?)^ *```$");

    private final Path binaries;
    private final Path kubeconfig;
    private final Path home;

    /** @param home gets the files of helm, and kubectl numa as this build has it */
    UserShell(SimCluster cluster, Path home) throws IOException {
        this.binaries = RealKubernetes.binaries().directory();
        this.kubeconfig = cluster.kubeconfig();
        this.home = home;
        NumaPlugin.install(home);
    }

    /** Runs a script, which must succeed. Returns what it wrote. */
    String run(String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(List.of("bash", "-euo", "pipefail", "-c", script))
                .directory(PROJECT.toFile())
                .redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        builder.environment().put("HOME", home.toString());
        builder.environment().put("PATH", binaries + ":" + home + ":" + System.getenv("PATH"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s%n%s", script, output).isZero();
        return output;
    }

    /** Starts a script in mount namespaces of its own, which ends when the process is closed. Its output is {@code NAME.log}. */
    ChildProcess start(String name, String script) {
        return ChildProcess.start(
                name,
                home,
                List.of(
                        "env",
                        "KUBECONFIG=" + kubeconfig,
                        "PATH=" + binaries + ":" + System.getenv("PATH"),
                        "unshare",
                        "--mount",
                        "bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        script));
    }

    /** The commands below a heading of docs/install.md, all blocks together. */
    static String documented(String heading) throws IOException {
        String page = Files.readString(PROJECT.resolve("docs/install.md"));
        String[] parts = page.split("\n#+ " + heading + "\n", 2);
        assertThat(parts).as("docs/install.md has the heading %s", heading).hasSize(2);
        String section = parts[1].split("\n#+ ", 2)[0];
        String commands =
                COMMANDS.matcher(section).results().map(block -> block.group(1)).collect(Collectors.joining());
        assertThat(commands).as("commands below %s", heading).isNotEmpty();
        return commands;
    }
}
