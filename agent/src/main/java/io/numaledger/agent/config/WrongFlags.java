package io.numaledger.agent.config;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;

/** Reports invalid flags in two lines, without the list of all flags. */
public final class WrongFlags {

    private WrongFlags() {}

    /** Prints what is wrong and where help is; the exit status is 2. */
    public static int explain(ParameterException wrong, String[] args) {
        CommandLine command = wrong.getCommandLine();
        command.getErr().println(wrong.getMessage());
        command.getErr().println("see " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }
}
