package io.numaledger.bridge.run;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;
import java.util.stream.Stream;

/** The flags of {@code bridge run}. Each part of the bridge declares its own, and reads them. */
@Command
public final class BridgeOptions {

    @Mixin
    final EndpointOptions endpoints = new EndpointOptions();

    @Mixin
    final Security.Options security = new Security.Options();

    @Mixin
    final Replicas.Options replicas = new Replicas.Options();

    @Mixin
    final SnapshotOptions snapshots = new SnapshotOptions();

    @Mixin
    final ExtenderOptions extender = new ExtenderOptions();

    @Mixin
    final PendingPods.Options pending = new PendingPods.Options();

    @Mixin
    final Groups.Options groups = new Groups.Options();

    @Mixin
    final Reporting.Options reporting = new Reporting.Options();

    @Mixin
    final Stranded.Options stranded = new Stranded.Options();

    @Mixin
    final HealingOptions healing = new HealingOptions();

    /** @throws IllegalArgumentException as a sentence, if flags contradict each other or are missing */
    void check() {
        replicas.check(security.knowsClients());
        security.check();
        endpoints.check();
        snapshots.check();
        extender.check();
        pending.check();
        groups.check();
        stranded.check();
        healing.check();
    }

    /** @throws CommandLine.ParameterException for flags that do not exist */
    public static BridgeOptions of(List<String> flags) {
        BridgeOptions options = CommandLine.populateCommand(new BridgeOptions(), flags.toArray(String[]::new));
        options.check();
        return options;
    }

    /**
     * Plain HTTP for this host only, and what else these flags say.
     *
     * @param port 0: any free one
     */
    public static BridgeOptions plainHttp(int port, String... flags) {
        return of(Stream.concat(Stream.of("--insecure-http", "--listen=127.0.0.1:" + port), Stream.of(flags))
                .toList());
    }
}
