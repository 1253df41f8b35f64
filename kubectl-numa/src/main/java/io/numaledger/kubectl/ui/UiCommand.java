package io.numaledger.kubectl.ui;

import io.numaledger.cli.GoDuration;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.zones.ClusterSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code kubectl numa ui}: the fleet as a page. */
@Command(
        name = "ui",
        description =
                "Serves a page with the zones of all nodes to the browser of this machine, or writes it as a file.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class UiCommand implements Callable<Integer> {

    private static final int LARGEST_PORT = 65_535;

    /** The API server may be gone without a word. */
    private static final Duration REQUEST_LIMIT = Duration.ofMinutes(1);

    private static final Duration BETWEEN_QUESTIONS = Duration.ofSeconds(5);

    @Spec
    private CommandSpec command;

    @Mixin
    private final ClusterSource cluster;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "write a report that needs no server, such as report.html, and end")
    private Optional<Path> output = Optional.empty();

    @Option(names = "--port", paramLabel = "PORT", description = "the port on 127.0.0.1 (default: any that is free)")
    private int port;

    @Option(names = "--open", description = "open the page in the default browser")
    private boolean open;

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description =
                    "how often nodes are read while a page is open and they cannot be watched, such as 10s (default: 5s); at most a tenth of the time")
    private Duration interval = Duration.ofSeconds(5);

    public UiCommand(Surroundings surroundings) {
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        if (port < 0 || port > LARGEST_PORT) {
            throw new ParameterException(command.commandLine(), "--port is 0 to 65535: port=" + port);
        }
        Changes changes = new Changes();
        cluster.limitRequests(REQUEST_LIMIT);
        ShownCluster shown = new ShownCluster(cluster::zones, changes, cluster::ask, InstantSource.system());
        // Says what is wrong before a browser opens.
        shown.nodes();
        UiData data = UiData.of(shown, cluster);
        if (output.isPresent()) {
            write(output.get(), Report.of(data));
            return 0;
        }
        try (UiServer server = new UiServer(port, data, changes)) {
            PrintWriter out = command.commandLine().getOut();
            out.println("the page opens once, in one browser; Ctrl-C ends it: %s".formatted(server.url()));
            out.flush();
            if (open) {
                Browser.open(server.url());
            }
            serve(shown);
        }
        return 0;
    }

    private static void write(Path file, String report) throws IOException {
        try {
            Files.writeString(file, report);
        } catch (IOException e) {
            throw new IOException(
                    "cannot write the report: file=%s; set --output to a file in a directory that you may write to"
                            .formatted(file),
                    e);
        }
    }

    private static void ask(ShownCluster shown) {
        try {
            shown.askAgainAndAgain(BETWEEN_QUESTIONS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(ShownCluster shown) {
        try {
            if (cluster.dump().isPresent()) {
                Thread.currentThread().join();
            }
            Thread asking = new Thread(() -> ask(shown), "ui-liveness");
            asking.setDaemon(true);
            asking.start();
            shown.follow(interval);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
