package io.numaledger.bridge.run;

import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.cli.GoDuration;
import picocli.CommandLine.Option;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Where the bridge listens, and how much it accepts. */
final class EndpointOptions {

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "address to serve on (default: ${DEFAULT-VALUE}); port 0: any free port")
    private String listen = "0.0.0.0:9443";

    @Option(
            names = "--metrics-listen",
            paramLabel = "HOST:PORT",
            description = "address of probes and metrics over plain HTTP (default: that of --listen)")
    private Optional<String> metricsListen = Optional.empty();

    @Option(
            names = "--max-body-bytes",
            paramLabel = "N",
            description =
                    "longest request body; all bodies together may take twice as much (default: ${DEFAULT-VALUE})")
    private int maxBodyBytes = Limits.DEFAULT.maxBodyBytes();

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            description =
                    "how many connections clients without a scheduler's certificate may have open; a new one replaces the oldest idle one of the address with the most (default: ${DEFAULT-VALUE})")
    private int connections = Limits.DEFAULT.connections();

    @Option(
            names = "--max-connections-per-address",
            paramLabel = "N",
            description = "the same for each IP address; not with --insecure-http (default: ${DEFAULT-VALUE})")
    private int connectionsPerAddress = Limits.DEFAULT.connectionsPerAddress();

    @Option(
            names = "--request-timeout",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description = "how long a request may take to arrive, and its answer to be sent (default: 15s)")
    private Duration requestTimeout = Limits.DEFAULT.time();

    void check() {
        var unusedLimits = limits();
        var unusedAddress = listen();
        var unusedProbes = probes();
    }

    Limits limits() {
        return new Limits(maxBodyBytes, Limits.DEFAULT.threads(), connections, connectionsPerAddress, requestTimeout);
    }

    InetSocketAddress listen() {
        return address("--listen", listen);
    }

    /** Address of probes and metrics over plain HTTP; absent: they are served at the same address as everything else. */
    Optional<InetSocketAddress> probes() {
        return metricsListen.map(text -> address("--metrics-listen", text));
    }

    private static InetSocketAddress address(String flag, String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "%s is '%s'; use HOST:PORT, such as 0.0.0.0:9443".formatted(flag, text), e);
        }
    }
}
