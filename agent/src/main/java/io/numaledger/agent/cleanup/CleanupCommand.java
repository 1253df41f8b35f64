package io.numaledger.agent.cleanup;

import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.config.ApiOptions;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code agent cleanup}: removes what agents wrote, after they were uninstalled. */
@Command(
        name = "cleanup",
        description =
                "Removes the agents' annotations and NodeResourceTopology objects; run it when no agent runs any more.",
        footer =
                "It needs an administrator's rights: list and patch pods and nodes, list and delete noderesourcetopologies.",
        mixinStandardHelpOptions = true)
public final class CleanupCommand implements Callable<Integer> {

    @Mixin
    private ApiOptions api = new ApiOptions();

    @ArgGroup(multiplicity = "1")
    private Scope scope;

    private static final class Scope {
        @Option(names = "--node-name", required = true, paramLabel = "NAME", description = "of this node only")
        private Optional<String> node = Optional.empty();

        @Option(names = "--all", required = true, description = "of all nodes")
        private boolean all;
    }

    @Option(names = "--dry-run", description = "print what would be removed, and remove nothing")
    private boolean dryRun;

    @Option(names = "--force", description = "clean up even while agents run; they will write everything again")
    private boolean force;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        try (ApiServer server = api.connect()) {
            Optional<String> of = scope.all ? Optional.empty() : scope.node;
            Cleanup cleanup = new Cleanup(server, dryRun, out::println);
            if (!dryRun && !force) {
                cleanup.requireNoAgents(of);
            }
            cleanup.run(of);
        }
        out.flush();
        return 0;
    }
}
