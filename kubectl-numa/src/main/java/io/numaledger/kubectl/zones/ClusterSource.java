package io.numaledger.kubectl.zones;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.view.ApiGroup;
import io.numaledger.cli.Failures;
import io.numaledger.evaluation.claim.DeviceObjects;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.KubectlException;
import io.numaledger.kubectl.manifest.Admission;
import io.numaledger.kubectl.manifest.DryRun;
import io.numaledger.objects.ClusterDump;
import io.numaledger.scheduling.scheduler.SchedulerLeases;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The cluster in question: behind kubectl, or in a dump. */
public final class ClusterSource {

    /** Options of kubectl that say which cluster it is and how to reach it. They are passed on as they are. */
    private static final List<String> CONNECTION = List.of(
            "--as",
            "--as-group",
            "--as-uid",
            "--certificate-authority",
            "--client-certificate",
            "--client-key",
            "--cluster",
            "--context",
            "--kubeconfig",
            "--request-timeout",
            "--server",
            "--tls-server-name",
            "--token",
            "--user");

    private static final Duration QUESTION_LIMIT = Duration.ofSeconds(15);

    private static final String INSECURE = "--insecure-skip-tls-verify";

    private static final String LEASES =
            "/apis/coordination.k8s.io/v1/namespaces/" + SchedulerLeases.NAMESPACE + "/leases";

    /** What kubectl says of a resource that the API server does not have. */
    private static final String NOT_SERVED = "the server doesn't have a resource type";

    private Optional<Duration> requestLimit = Optional.empty();
    private final String program;
    private CommandSpec mixee = CommandSpec.create();
    private final List<OptionSpec> connection = new ArrayList<>();

    @Option(
            names = "--dump",
            paramLabel = "FILE",
            description =
                    "read this file instead of a cluster: kubectl get nodes,noderesourcetopologies,pods -A -o yaml")
    private Optional<Path> dump = Optional.empty();

    @Option(
            names = "--without-bridge",
            description =
                    "ask no bridge: read Nodes, NodeResourceTopologies, Pods and the devices of claims through kubectl, and evaluate them here")
    private boolean withoutBridge;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAME",
            description = "the namespace (default: that of kubectl's context)")
    private Optional<String> namespace = Optional.empty();

    /** @param program the kubectl to call */
    public ClusterSource(String program) {
        this.program = program;
    }

    /** Adds the options of kubectl, which its own help describes. */
    @Spec(Spec.Target.MIXEE)
    void addConnectionOptions(CommandSpec command) {
        mixee = command;
        for (String name : CONNECTION) {
            String[] names = name.equals("--server") ? new String[] {"-s", name} : new String[] {name};
            connection.add(OptionSpec.builder(names)
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .arity("1")
                    .hidden(true)
                    .build());
        }
        connection.add(
                OptionSpec.builder(INSECURE).type(boolean.class).hidden(true).build());
        connection.forEach(command::addOption);
    }

    public Optional<Path> dump() {
        return dump;
    }

    public Zones zones() throws IOException {
        return dump.isPresent() || withoutBridge ? evaluated() : new AggregatedZones(kubectl());
    }

    /** Zones that are evaluated here. */
    public EvaluatedZones evaluated() throws IOException {
        if (dump.isEmpty()) {
            return published();
        }
        ClusterObjects objects = ClusterDump.read(dump.get());
        return new EvaluatedZones(
                objects,
                SnapshotSettings.DEFAULT,
                dumpedAt().orElseThrow(),
                objects::budgets,
                () -> SchedulerLeases.UNREAD);
    }

    public boolean isWithoutBridge() {
        return withoutBridge;
    }

    private EvaluatedZones published() throws IOException {
        try {
            ClusterObjects objects = ClusterDump.parse(kubectl().objects("nodes,noderesourcetopologies,pods"));
            return new EvaluatedZones(
                    objects.with(devices()),
                    SnapshotSettings.DEFAULT,
                    Instant.now(),
                    this::budgets,
                    this::readableLeases);
        } catch (KubectlException e) {
            if (e.reason() != KubectlException.Reason.FORBIDDEN) {
                throw e;
            }
            String needed =
                    "nodes, noderesourcetopologies and pods of the whole cluster: ask for a ClusterRole that may list them";
            throw new IOException(
                    withoutBridge
                            ? "%s; --without-bridge reads %s, or leave it out and ask for the ClusterRole view, or RELEASE-bridge-view of the chart"
                                    .formatted(e.line(), needed)
                            : "%s; rehearsals read %s".formatted(e.line(), needed),
                    e);
        }
    }

    /**
     * The objects of Dynamic Resource Allocation; none where the cluster does not serve them, or, with a message, where the user may not list them.
     */
    private DeviceObjects devices() throws IOException {
        try {
            return ClusterDump.parse(kubectl().objects("resourceslices,resourceclaims,deviceclasses"))
                    .devices();
        } catch (KubectlException e) {
            if (!e.text().contains(NOT_SERVED)) {
                mixee.commandLine()
                        .getErr()
                        .println(
                                "devices of claims are not known: %s; ask for a ClusterRole that may list resourceslices, resourceclaims and deviceclasses"
                                        .formatted(e.line()));
            }
            return DeviceObjects.NONE;
        }
    }

    /** None, with a message, where the user may not list them. */
    private List<DisruptionBudget> budgets() throws IOException {
        try {
            return ClusterDump.parse(kubectl().objects("poddisruptionbudgets")).budgets();
        } catch (KubectlException e) {
            mixee.commandLine()
                    .getErr()
                    .println(
                            "disruption budgets are not known: %s; ask for a ClusterRole that may list poddisruptionbudgets"
                                    .formatted(e.line()));
            return List.of();
        }
    }

    /**
     * The Leases of schedulers.
     *
     * @throws KubectlException if the user may not list them
     */
    public SchedulerLeases schedulerLeases() throws IOException {
        Map<String, Instant> renewals = new TreeMap<>();
        for (JsonNode lease : kubectl().get(LEASES).path("items")) {
            String renewed = lease.at("/spec/renewTime").asText();
            if (!renewed.isEmpty()) {
                renewals.put(lease.at("/metadata/name").asText(), Instant.parse(renewed));
            }
        }
        return SchedulerLeases.read(renewals);
    }

    /** The Leases of schedulers. Few users may list these: for the others, an explanation says nothing of schedulers that have ended. */
    private SchedulerLeases readableLeases() throws IOException {
        try {
            return schedulerLeases();
        } catch (KubectlException e) {
            return SchedulerLeases.UNREAD;
        }
    }

    /** What becomes of manifests there. */
    public Admission admission() {
        return dump.isPresent()
                ? Admission.NONE
                : new DryRun(kubectl(), note -> mixee.commandLine().getErr().println(Failures.paragraph(note)));
    }

    /** Whether the namespace was given, and no default. */
    public boolean isNamespaceGiven() {
        return namespace.isPresent();
    }

    /** The one that was given, or the current one. */
    public String namespace() throws IOException {
        if (namespace.isPresent()) {
            return namespace.get();
        }
        return dump.isPresent() ? "default" : kubectl().namespace();
    }

    /** Ends requests that have no answer in time, unless the user has set a limit. Watches are not limited. */
    public void limitRequests(Duration limit) {
        requestLimit = Optional.of(limit);
    }

    /** A question that each cluster answers soon: the bridge, or the API server where no bridge is asked. */
    public void ask() throws IOException {
        var unused = kubectl(Optional.of(QUESTION_LIMIT)).get(withoutBridge ? "/version" : ApiGroup.ROOT);
    }

    /** Which cluster it is, for people. */
    public String name() throws IOException {
        if (dump.isPresent()) {
            return String.valueOf(dump.get().getFileName());
        }
        String context = kubectl().context();
        return context.isEmpty() ? "a cluster without a context" : context;
    }

    /** When the dump was made, as far as its file tells; empty: it is no dump. */
    public Optional<Instant> dumpedAt() throws IOException {
        return dump.isPresent()
                ? Optional.of(Files.getLastModifiedTime(dump.get()).toInstant())
                : Optional.empty();
    }

    public Kubectl kubectl() {
        return kubectl(requestLimit);
    }

    private Kubectl kubectl(Optional<Duration> limit) {
        List<String> flags = new ArrayList<>();
        limit.ifPresent(most -> flags.add("--request-timeout=%ds".formatted(most.toSeconds())));
        for (OptionSpec option : connection) {
            if (option.longestName().equals(INSECURE)) {
                if (Boolean.TRUE.equals(option.getValue())) {
                    flags.add(INSECURE);
                }
            } else {
                Optional.<List<String>>ofNullable(option.getValue())
                        .ifPresent(values -> values.forEach(value -> flags.add(option.longestName() + "=" + value)));
            }
        }
        return new Kubectl(program, flags);
    }
}
