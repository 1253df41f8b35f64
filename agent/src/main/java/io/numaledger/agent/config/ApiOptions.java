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

/** The flags of the API server's client. */
public final class ApiOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig of the cluster (default: KUBECONFIG, else the service account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--qps",
            paramLabel = "N",
            description = "requests per second to the API server (default: ${DEFAULT-VALUE})",
            defaultValue = "50")
    private double qps;

    @Option(
            names = "--burst",
            paramLabel = "N",
            description = "burst of requests to the API server (default: ${DEFAULT-VALUE})",
            defaultValue = "100")
    private int burst;

    /**
     * A client of the API server; it has sent no request yet.
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
