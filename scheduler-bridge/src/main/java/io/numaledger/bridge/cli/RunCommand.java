package io.numaledger.bridge.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.access.FrontProxy;
import io.numaledger.bridge.access.SchedulerAccess;
import io.numaledger.bridge.certificate.CertificateRenewal;
import io.numaledger.bridge.certificate.IssuedCertificates;
import io.numaledger.bridge.extender.CandidateLimit;
import io.numaledger.bridge.extender.ZoneRefusals;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.Bridge.Groups;
import io.numaledger.bridge.run.BridgeEndpoints;
import io.numaledger.bridge.run.BridgeEndpoints.Endpoints;
import io.numaledger.bridge.run.BridgeEndpoints.Replicas;
import io.numaledger.bridge.run.BridgeEndpoints.Security;
import io.numaledger.bridge.score.ScoringCriterion;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.cli.Failures;
import io.numaledger.cli.GoDuration;
import io.numaledger.task.Termination;
import io.numaledger.tls.ReloadableKeys;
import io.numaledger.tls.TrustedAuthority;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/** {@code bridge run}: watches the cluster and answers kube-scheduler until it is stopped. */
@Command(
        name = "run",
        description = "Watches the cluster and serves kube-scheduler as its extender.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {

    /** As long as kube-proxy may send new connections to a replica that leaves. */
    private static final Duration SHUTDOWN_DELAY = Duration.ofSeconds(3);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    @Spec
    private CommandSpec command;

    @Mixin
    private SnapshotOptions snapshots;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "kubeconfig of the cluster (default: as kubectl finds it, or the service account)")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "address to serve on (default: ${DEFAULT-VALUE}); port 0: any free port")
    private String listen = "0.0.0.0:9443";

    @Option(
            names = "--insecure-http",
            description = "serve plain HTTP; every client that can reach the port can bind pods")
    private boolean insecure;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "server certificate, PEM; reloaded when it changes")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "private key, PEM, not encrypted; reloaded when it changes")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--client-ca",
            paramLabel = "FILE",
            description =
                    "CA bundle, PEM; schedulers need a client certificate that it signed; reloaded when it changes")
    private Optional<Path> clientCa = Optional.empty();

    @Option(
            names = "--client-names",
            split = ",",
            paramLabel = "NAME",
            description = "common names of the schedulers' client certificates (default: ${DEFAULT-VALUE})")
    private Set<String> clientNames = Set.of(IssuedCertificates.CLIENT_NAME);

    @Option(
            names = "--insecure-skip-client-auth",
            description = "serve the extender verbs to every client that can reach the port: it can bind pods")
    private boolean anyClient;

    @Option(
            names = "--issue-certificates",
            paramLabel = "SERVICE",
            description =
                    "issue the certificates of this Service and of the scheduler, and keep them in the Secrets SERVICE-ca and SERVICE-client")
    private Optional<String> issueFor = Optional.empty();

    @Option(
            names = "--aggregated-api",
            description = "serve the API group numaledger.io to the API server, which passes users' requests on")
    private boolean aggregated;

    @Option(
            names = "--leader-elect",
            description = "run as one of several replicas; a Lease in the bridge's namespace decides which one binds")
    private boolean elect;

    @Option(names = "--lease-name", paramLabel = "NAME", description = "name of the Lease (default: ${DEFAULT-VALUE})")
    private String lease = "numaledger-bridge";

    @Option(
            names = "--advertise-address",
            paramLabel = "HOST:PORT",
            description = "address at which other replicas reach this one; with --leader-elect")
    private Optional<String> advertised = Optional.empty();

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

    @Option(
            names = "--scoring-criteria",
            split = ",",
            paramLabel = "CRITERION",
            description =
                    "what prioritize compares, the first one first: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private List<ScoringCriterion> criteria = Bridge.Settings.CRITERIA;

    @Option(
            names = "--scoring-strategy",
            paramLabel = "STRATEGY",
            description =
                    "how the criterion Strategy scores zones: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Strategy strategy = Bridge.Settings.STRATEGY;

    @Option(
            names = "--max-candidates",
            paramLabel = "N",
            description =
                    "filter answers at most this many nodes, the best ones, and refused nodes only if no node fits; 0: all nodes (default: ${DEFAULT-VALUE})")
    private int maxCandidates = CandidateLimit.DEFAULT.nodes();

    @Option(
            names = "--hold-after",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description =
                    "reserve zones that become free for a pod that has been pending for this long; 0s: never (default: 2s)")
    private Duration holdAfter = Bridge.Waiting.DEFAULT.holdAfter();

    @Option(
            names = "--scheduler-names",
            split = ",",
            paramLabel = "NAME",
            description = "bind pods of these schedulers only (default: default-scheduler,numaledger)")
    private Set<String> schedulers = Bridge.Settings.SCHEDULERS;

    @Option(
            names = "--evict-for-zones",
            description =
                    "evict less important pods for a pod that waits for zones, where kube-scheduler evicts none; respects disruption budgets")
    private boolean evictForZones;

    @Option(
            names = "--groups",
            description =
                    "plan the pods of a group together: they run all, or at least as many as the group needs, or not at all")
    private boolean groups;

    @Option(
            names = "--preempt-for-groups",
            description =
                    "evict pods of lower priority for a gated group that does not fit; respects disruption budgets; with --groups")
    private boolean preemptForGroups;

    @Option(
            names = "--namespace-gpu-links",
            description =
                    "Namespaces set defaults for their pods by the annotations numaledger.io/gpu-links and numaledger.io/gpu-links-min")
    private boolean namespaceGpuLinks;

    @Option(
            names = "--zone-refusals",
            paramLabel = "KIND",
            description =
                    "how filter reports a node whose zones would fit the pod if other pods ended: ${COMPLETION-CANDIDATES}; unresolvable is for kube-scheduler, preemptable for schedulers that call preempt for nodes whose sums suffice (default: ${DEFAULT-VALUE})")
    private ZoneRefusals zoneRefusals = Bridge.Waiting.DEFAULT.zoneRefusals();

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkAccess();
        Limits limits =
                new Limits(maxBodyBytes, Limits.DEFAULT.threads(), connections, connectionsPerAddress, requestTimeout);
        InetSocketAddress address = address("--listen", listen);
        Optional<InetSocketAddress> probes = metricsListen.map(text -> address("--metrics-listen", text));
        Duration hold = holdAfter();
        CandidateLimit candidates = candidates();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        try (Termination termination = new Termination(() -> stopped.complete(null), STOP_TIMEOUT);
                KubernetesClient client = ClusterReader.client(kubeconfig)) {
            Optional<CertificateRenewal> renewal = awaitApiServer(client, probes, stopped);
            if (renewal.isPresent()) {
                try (CertificateRenewal certificates = renewal.get();
                        Bridge bridge = new Bridge(
                                new Bridge.Settings(
                                        new Endpoints(address, probes, security(certificates), limits),
                                        snapshots.settings(),
                                        criteria,
                                        strategy,
                                        candidates,
                                        new Bridge.Waiting(hold, zoneRefusals, evictForZones),
                                        !groups ? Groups.OFF : preemptForGroups ? Groups.PREEMPTING : Groups.PLANNED,
                                        schedulers,
                                        namespaceGpuLinks),
                                client)) {
                    serve(bridge, stopped);
                }
            }
            return 0;
        } catch (ExecutionException e) {
            throw new IOException(
                    "cannot read the cluster: %s; check the bridge's rights, and that the NodeResourceTopology definition is installed"
                            .formatted(Failures.reason(e)),
                    e);
        }
    }

    private void serve(Bridge bridge, CompletableFuture<Void> stopped) throws InterruptedException, ExecutionException {
        bridge.start();
        var unused = bridge.sync().exceptionally(failure -> {
            stopped.completeExceptionally(failure);
            return null;
        });
        stopped.get();
        if (elect) {
            // The others learn that this replica leaves, and callers go to them, before its connections are closed.
            bridge.leave();
            Thread.sleep(SHUTDOWN_DELAY.toMillis());
        }
    }

    /** Insecure settings need a flag that says so. */
    private void checkAccess() {
        if (elect && (insecure || anyClient || advertised.isEmpty())) {
            throw new ParameterException(
                    command.commandLine(),
                    "--leader-elect needs --advertise-address and client certificates, with which replicas believe each other");
        }
        if (insecure || issueFor.isPresent()) {
            return;
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--tls-cert and --tls-key are missing; set both, or --issue-certificates, or --insecure-http if no other client can reach the port");
        }
        if (clientCa.isEmpty() && !anyClient) {
            throw new ParameterException(
                    command.commandLine(),
                    "--client-ca is missing; set it, or --insecure-skip-client-auth if no other client can reach the port");
        }
    }

    /** Meanwhile the probes answer: the process is alive, and not ready. */
    private Optional<CertificateRenewal> awaitApiServer(
            KubernetesClient client, Optional<InetSocketAddress> probes, CompletableFuture<Void> stopped)
            throws IOException, InterruptedException, ExecutionException {
        AtomicReference<String> reason = new AtomicReference<>("the API server was not asked yet");
        try (BridgeEndpoints.Waiting unused = BridgeEndpoints.whileWaiting(probes, reason::get)) {
            return StartUp.untilAnswered(
                    () -> {
                        ClusterReader.requireApiServer(kubeconfig);
                        if (aggregated && !insecure) {
                            var unusedProxy = new FrontProxy(client);
                        }
                        return certificates(client);
                    },
                    stopped,
                    reason::set);
        }
    }

    private CertificateRenewal certificates(KubernetesClient client) throws IOException {
        return issueFor.isPresent()
                ? CertificateRenewal.start(new IssuedCertificates(
                        client,
                        issueFor.get(),
                        Files.createTempDirectory("certificates"),
                        aggregated,
                        InstantSource.system()))
                : CertificateRenewal.none();
    }

    private Optional<Security> security(CertificateRenewal renewal) throws IOException {
        if (insecure) {
            return Optional.empty();
        }
        Optional<IssuedCertificates> issued = renewal.certificates();
        ReloadableKeys keys = ReloadableKeys.read(
                issued.map(IssuedCertificates::certificate)
                        .or(() -> certificate)
                        .orElseThrow(),
                issued.map(IssuedCertificates::key).or(() -> key).orElseThrow());
        if (anyClient) {
            return Optional.of(new Security(keys, Optional.empty(), aggregated, Optional.empty()));
        }
        Path ca = clientCa.or(() -> issued.map(IssuedCertificates::authority)).orElseThrow();
        TrustedAuthority authority = new TrustedAuthority("file=" + ca, () -> Files.readString(ca));
        Optional<String> own = keys.commonName().filter(any -> elect);
        if (elect && own.isEmpty()) {
            throw new IOException("the certificate has no common name; replicas recognise each other by it");
        }
        return Optional.of(new Security(
                keys,
                Optional.of(new SchedulerAccess(authority, clientNames, own)),
                aggregated,
                own.map(name -> replicas(keys.clientContext(authority.serverNamed(name))))));
    }

    private Replicas replicas(SSLContext client) {
        String name = "%s-%d"
                .formatted(
                        Optional.ofNullable(System.getenv("HOSTNAME")).orElse("bridge"),
                        ProcessHandle.current().pid());
        String address = advertised.orElseThrow();
        String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
        boolean bareIpv6 = host.contains(":") && !host.startsWith("[");
        return new Replicas(
                lease, name, bareIpv6 ? "[" + host + "]" + address.substring(host.length()) : address, client);
    }

    private CandidateLimit candidates() {
        try {
            return new CandidateLimit(maxCandidates);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--max-candidates: " + e.getMessage(), e);
        }
    }

    private Duration holdAfter() {
        if (holdAfter.isNegative()) {
            throw new ParameterException(command.commandLine(), "--hold-after is negative; use 0s (never) or more");
        }
        return holdAfter;
    }

    private InetSocketAddress address(String flag, String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
        } catch (RuntimeException e) {
            throw new ParameterException(
                    command.commandLine(), "%s is '%s'; use HOST:PORT, such as 0.0.0.0:9443".formatted(flag, text), e);
        }
    }
}
