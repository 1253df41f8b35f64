package io.numaledger.cli;

import java.util.Arrays;

/**
 * The arguments of a program that the kernel started by the first line of a script, such as {@code #!/jre/bin/java @/agent.args} in the
 * images, which have no shell. The kernel puts the path of the script before the arguments. The property {@code numaledger.script}
 * tells this path.
 */
public final class ScriptArguments {

    private static final String SCRIPT = "numaledger.script";

    private ScriptArguments() {}

    /** The arguments without the path of the script, if it is there. */
    public static String[] of(String... arguments) {
        return arguments.length > 0 && arguments[0].equals(System.getProperty(SCRIPT))
                ? Arrays.copyOfRange(arguments, 1, arguments.length)
                : arguments;
    }
}
