package io.numaledger.e2e.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs commands as a user would, in the top directory of the source code, and those of a page of the documentation. */
final class UserShell {

    private static final Path PROJECT = Path.of(System.getProperty("numaledger.root"));

    private final Path binaries;
    private final Path kubeconfig;
    private final Path home;

    /** @param home gets the files of helm */
    UserShell(Path binaries, Path kubeconfig, Path home) {
        this.binaries = binaries;
        this.kubeconfig = kubeconfig;
        this.home = home;
    }

    /** Runs a script, which must succeed. Returns what it wrote. */
    String run(String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(List.of("bash", "-euo", "pipefail", "-c", script))
                .directory(PROJECT.toFile())
                .redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        builder.environment().put("HOME", home.toString());
        builder.environment().put("PATH", binaries + ":" + System.getenv("PATH"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s%n%s", script, output).isZero();
        return output;
    }

    /** The commands below a heading of docs/install.md, all blocks together. */
    static String documented(String heading) throws IOException {
        String page = Files.readString(PROJECT.resolve("docs/install.md"));
        String[] parts = page.split("\n#+ " + heading + "\n", 2);
        assertThat(parts).as("docs/install.md has the heading %s", heading).hasSize(2);
        String section = parts[1].split("\n#+ ", 2)[0];
        StringBuilder commands = new StringBuilder();
        String[] blocks = section.split("\n```(sh)?\n");
        for (int block = 1; block < blocks.length; block += 2) {
            commands.append(blocks[block]).append('\n');
        }
        assertThat(commands).as("commands below %s", heading).isNotEmpty();
        return commands.toString();
    }
}
