package io.numaledger.images;

import io.numaledger.cli.Failures;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.cli.WrongArguments;
import io.numaledger.images.oci.PackCommand;
import io.numaledger.images.rootfs.TrainAgentCommand;
import io.numaledger.images.rootfs.TrainBridgeCommand;
import io.numaledger.images.sbom.DependenciesCommand;
import io.numaledger.images.sbom.SbomCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The steps of making root file systems and images that need Java; {@code rootfs.sh} and {@code numaledger} call them. */
@Command(
        name = "images",
        description = "Steps of building the images.",
        subcommands = {
            TrainAgentCommand.class,
            TrainBridgeCommand.class,
            SbomCommand.class,
            DependenciesCommand.class,
            PackCommand.class,
            CommandLine.HelpCommand.class
        },
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
public final class ImagesMain {

    private ImagesMain() {}

    public static void main(String[] args) {
        System.exit(TerminalWriter.execute(commandLine(), args));
    }

    public static CommandLine commandLine() {
        return new CommandLine(new ImagesMain())
                .setParameterExceptionHandler(WrongArguments::print)
                .setExecutionExceptionHandler(Failures::print);
    }
}
