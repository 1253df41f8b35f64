package io.numaledger.bridge;

import io.numaledger.bridge.cli.BridgeCommand;
import io.numaledger.cli.ScriptArguments;

/** The program of the Deployment, and its command line. */
public final class BridgeMain {

    private BridgeMain() {}

    public static void main(String[] args) {
        System.exit(BridgeCommand.execute(ScriptArguments.of(args)));
    }
}
