package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.bridge.extender.Binder;
import io.numaledger.bridge.replica.InFlightPods;
import io.numaledger.bridge.replica.LeaderWrites;
import io.numaledger.bridge.replica.Leadership;
import io.numaledger.bridge.watch.ApiBinder;
import io.numaledger.bridge.watch.ApiClaimWriter;
import io.numaledger.bridge.watch.ApiEvictor;
import io.numaledger.bridge.watch.ApiGroupWriter;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.scheduling.dra.ClaimWriter;
import io.numaledger.scheduling.gated.GroupWriter;
import io.numaledger.scheduling.healing.Controllers;
import io.numaledger.scheduling.preemption.Evictor;
import io.numaledger.scheduling.state.ClusterState;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.Optional;

/** Which of the replicas decides, and what it alone writes. Where there is only one, it leads as soon as it is ready. */
final class Replicas implements AutoCloseable {

    static final class Options {

        @Option(
                names = "--leader-elect",
                description =
                        "run as one of several replicas; a Lease in the bridge's namespace decides which one binds")
        private boolean elect;

        @Option(
                names = "--lease-name",
                paramLabel = "NAME",
                description = "name of the Lease (default: ${DEFAULT-VALUE})")
        private String lease = "numaledger-bridge";

        @Option(
                names = "--advertise-address",
                paramLabel = "HOST:PORT",
                description = "address at which other replicas reach this one; with --leader-elect")
        private Optional<String> advertised = Optional.empty();

        /** @param knowsClients whether callers are told apart by their certificates */
        void check(boolean knowsClients) {
            if (elect && (!knowsClients || advertised.isEmpty())) {
                throw new IllegalArgumentException(
                        "--leader-elect needs --advertise-address and client certificates, with which replicas believe each other");
            }
        }

        /** Whether there are other replicas. */
        boolean elect() {
            return elect;
        }

        private static String name() {
            return "%s-%d"
                    .formatted(
                            Optional.ofNullable(System.getenv("HOSTNAME")).orElse("bridge"),
                            ProcessHandle.current().pid());
        }

        private String address() {
            String address = advertised.orElseThrow();
            String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
            boolean bareIpv6 = host.contains(":") && !host.startsWith("[");
            return bareIpv6 ? "[" + host + "]" + address.substring(host.length()) : address;
        }
    }

    /** Longest request for the pods that are in flight. */
    private static final Duration LIST_TIMEOUT = Duration.ofSeconds(10);

    /** Repeats no request: kube-scheduler repeats failed binds. */
    private final KubernetesClient bindClient;

    /** Repeats no request either: a write that is repeated for long may come after another replica leads. The bridge decides anew. */
    private final KubernetesClient writeClient;

    private final Readiness readiness;
    private final Runnable restore;
    private final Optional<Leadership> leadership;
    private final LeaderWrites writes = new LeaderWrites(this::mayWrite);

    /** @param restore is run when this replica begins to lead: the one before it may have refused pods */
    Replicas(Options options, KubernetesClient client, ClusterState cluster, Readiness readiness, Runnable restore) {
        this.writeClient = ClusterReader.withoutRetries(client, Leadership.WRITE_TIMEOUT);
        this.bindClient = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(client.getConfiguration())
                        .withRequestTimeout((int) Leadership.WRITE_TIMEOUT.toMillis())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        this.readiness = readiness;
        this.restore = restore;
        InFlightPods inFlight = new InFlightPods(ClusterReader.withoutRetries(client, LIST_TIMEOUT), cluster);
        Leadership.CatchUp catchUp = () -> {
            inFlight.await();
            restore.run();
        };
        this.leadership = options.elect
                ? Optional.of(new Leadership(bindClient, options.lease, Options.name(), options.address(), catchUp))
                : Optional.empty();
    }

    /** Call it when the cluster is known. */
    void start() {
        leadership.ifPresentOrElse(Leadership::start, restore);
    }

    /** The leadership; absent where there is only one replica. */
    Optional<Leadership> leadership() {
        return leadership;
    }

    boolean leads() {
        return readiness.answers() && leadership.map(Leadership::leads).orElse(true);
    }

    private boolean mayWrite() {
        return leadership.map(Leadership::mayWrite).orElse(true);
    }

    Binder binder() {
        return writes.binder(new ApiBinder(bindClient));
    }

    Evictor evictor() {
        return writes.evictor(new ApiEvictor(writeClient));
    }

    ClaimWriter claimWriter() {
        return writes.claims(new ApiClaimWriter(writeClient));
    }

    Controllers controllers() {
        return new ApiEvictor(writeClient)::controller;
    }

    GroupWriter groupWriter() {
        return writes.groups(new ApiGroupWriter(writeClient));
    }

    /** Lets another replica lead. */
    void leave() {
        leadership.ifPresent(Leadership::close);
    }

    @Override
    public void close() {
        leave();
        bindClient.close();
    }
}
