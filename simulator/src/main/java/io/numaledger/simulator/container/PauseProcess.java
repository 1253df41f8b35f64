package io.numaledger.simulator.container;

import io.numaledger.apiservers.real.ChildProcess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A process that only keeps a network namespace. The namespace, and all interfaces of it, go with the process. */
final class PauseProcess implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PauseProcess.class);

    private static final String READY = "ready";

    private final Process process;
    private final List<String> said;

    private PauseProcess(Process process, List<String> said) {
        this.process = process;
        this.said = said;
    }

    /**
     * Makes a network namespace, and returns when a shell script has run in it.
     *
     * @throws ContainerException with what the script wrote, if it failed
     */
    static PauseProcess start(String script, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "unshare", "--net", "/bin/sh", "-ec", script + "\necho " + READY + "\nexec sleep infinity", "pause"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(ChildProcess.endingWithParent("pause", command))
                    .redirectErrorStream(true)
                    .start();
            return new PauseProcess(process, awaitReady(process));
        } catch (IOException cause) {
            throw new ContainerException("cannot make a network namespace; check that unshare is installed", cause);
        }
    }

    private static List<String> awaitReady(Process process) throws IOException {
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        closeInputOnExit(process);
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); !READY.equals(line); line = output.readLine()) {
            if (line == null) {
                throw new ContainerException(
                        "cannot make a network namespace: output=%s; install iproute2, and run as root"
                                .formatted(String.join(" / ", lines)));
            }
            lines.add(line);
        }
        return lines;
    }

    /** Ends what waits for the end of this process beside the child, so that the child's output ends. */
    @SuppressWarnings("FutureReturnValueIgnored") // it catches what it expects to be thrown
    static void closeInputOnExit(Process process) {
        process.onExit().thenRun(() -> {
            try {
                process.getOutputStream().close();
            } catch (IOException closed) {
                log.debug("event=container.input_closed pid={}", process.pid());
            }
        });
    }

    /** The last line that the script wrote. */
    String said() {
        return said.get(said.size() - 1);
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
