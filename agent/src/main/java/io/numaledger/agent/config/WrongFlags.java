package io.numaledger.agent.config;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;

/** Wrong flags are explained in two lines; the whole list of flags would bury what is wrong. */
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
