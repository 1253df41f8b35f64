package io.numaledger.agent.config;

import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** How to reach the API server, and how often. */
public final class ApiOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "for the API server (default: KUBECONFIG, else the pod's own account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(names = "--qps", description = "API requests a second (default: ${DEFAULT-VALUE})", defaultValue = "50")
    private double qps;

    @Option(names = "--burst", description = "API requests at once (default: ${DEFAULT-VALUE})", defaultValue = "100")
    private int burst;

    /**
     * A client of the API server; nothing is asked of it yet.
     *
     * @throws IOException if the kubeconfig cannot be used
     * @throws ParameterException if qps or burst allow no request
     */
    public ApiServer connect() throws IOException {
        Optional<Path> file = kubeconfig.or(() -> Optional.ofNullable(System.getenv("KUBECONFIG"))
                .filter(path -> !path.isBlank())
                .map(Path::of));
        return ApiServer.connect(file, budget());
    }

    private RequestBudget budget() {
        try {
            return new RequestBudget(qps, burst, System::nanoTime);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--qps, --burst: " + e.getMessage(), e);
        }
    }
}
