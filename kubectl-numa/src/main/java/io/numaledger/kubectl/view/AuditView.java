package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.cli.TextTable;
import io.numaledger.kubectl.client.ExistingNames;
import io.numaledger.kubectl.client.KubectlException;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.output.Result;
import io.numaledger.kubectl.output.Watch;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** {@code kubectl numa audit}: what kubelets did with the pods whose placement was predicted. */
@Command(
        name = "audit",
        description = "Shows what kubelets did with the pods whose placement the bridge predicted, the newest first.",
        footer = {
            "",
            "OUTCOME is same, or what differs: zones, cpus, devices; or refused. The last 1000 pods since the bridge leads are shown."
        },
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class AuditView implements Callable<Integer> {

    private static final String SAME = "same";

    private final Surroundings surroundings;

    @Spec
    private CommandSpec command;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    @Mixin
    private final Watch watch = new Watch();

    @Parameters(arity = "0..1", paramLabel = "POD", description = "only this pod, NAME or NAMESPACE/NAME")
    private Optional<String> pod = Optional.empty();

    @Option(names = "--misses", description = "only the predictions that missed")
    private boolean misses;

    @Option(
            names = "--save",
            paramLabel = "FILE.zip",
            description =
                    "write the miss about POD with the state of its node into this file, for sim replay and sim up")
    private Optional<Path> save = Optional.empty();

    public AuditView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        if (save.isPresent()) {
            return saved(save.get());
        }
        return watch.run(() -> new Result(text(entries()), 0), surroundings.colours());
    }

    private String text(List<JsonNode> entries) throws IOException {
        if (entries.isEmpty()) {
            requirePod();
            command.commandLine().getErr().println(none());
            return "";
        }
        return format.text(entries, this::table, surroundings.colours());
    }

    /** A pod that has ended may have an entry: only one without an entry is looked up. */
    private void requirePod() throws IOException {
        if (pod.isEmpty()) {
            return;
        }
        String key = ExplainedPod.qualified(pod.get(), cluster.namespace());
        try {
            cluster.kubectl().get("/api/v1/namespaces/%s/pods/%s".formatted((Object[]) key.split("/", 2)));
        } catch (KubectlException e) {
            if (e.reason() == KubectlException.Reason.NOT_FOUND) {
                throw new ExistingNames(cluster.kubectl()).unknownPod(key);
            }
        }
    }

    private String none() {
        if (pod.isPresent()) {
            return "no %s is known of this pod: pod=%s; the bridge keeps the last 1,000 predictions since it leads"
                    .formatted(misses ? "miss" : "observed prediction", pod.get());
        }
        return misses ? "No prediction has missed." : "No predicted pod was observed since the bridge leads.";
    }

    private List<JsonNode> entries() throws IOException {
        Optional<String> key = Optional.empty();
        if (pod.isPresent()) {
            key = Optional.of(ExplainedPod.qualified(pod.get(), cluster.namespace()));
        }
        String prefix = cluster.isNamespaceGiven() && key.isEmpty() ? cluster.namespace() + "/" : "";
        List<JsonNode> entries = new ArrayList<>();
        for (JsonNode entry : cluster.zones().audits()) {
            String name = entry.path("pod").asText();
            if (name.startsWith(prefix)
                    && key.filter(wanted -> !wanted.equals(name)).isEmpty()
                    && isWanted(entry)) {
                entries.add(entry);
            }
        }
        return entries;
    }

    private boolean isWanted(JsonNode entry) {
        return !(misses || save.isPresent()) || !entry.path("outcome").asText().equals(SAME);
    }

    private int saved(Path file) throws IOException {
        if (pod.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(), "--save needs a pod: kubectl numa audit POD --save FILE.zip");
        }
        Recording.requireWritable(file);
        List<JsonNode> entries = entries();
        if (entries.isEmpty()) {
            requirePod();
            throw new IOException(
                    "no prediction about this pod has missed: pod=%s; kubectl numa audit --misses lists those that have"
                            .formatted(pod.get()));
        }
        JsonNode entry = cluster.zones().audit(entries.get(0).path("uid").asText());
        JsonNode parts = entry.path("file");
        if (!parts.isObject()) {
            throw new IOException("there is no file about this miss: pod=%s: %s"
                    .formatted(pod.get(), entry.path("fileError").asText("only those of the last 50 misses are kept")));
        }
        new Recording(
                        parts.path("nodes").toString(),
                        parts.path("pods").toString(),
                        Optional.of(parts.path("audit").toString()))
                .write(file);
        command.commandLine().getOut().printf("saved: file=%s%n", file);
        command.commandLine().getOut().printf("  ./numaledger sim replay %s%n", file);
        command.commandLine().getOut().printf("  ./numaledger sim up --nodes %s%n", file);
        return 0;
    }

    private TextTable table(List<? extends JsonNode> entries) {
        List<String> header = new ArrayList<>(List.of("POD", "NODE", "OUTCOME", "CONFIDENCE", "PREDICTED", "OBSERVED"));
        if (format.isWide()) {
            header.addAll(List.of("PREDICTED CPUS", "OBSERVED CPUS", "OBSERVED AT"));
        }
        TextTable table = new TextTable(header);
        entries.forEach(entry -> table.row(cells(entry)));
        return table;
    }

    private List<String> cells(JsonNode entry) {
        List<String> cells = new ArrayList<>();
        List.of("pod", "node", "outcome", "confidence")
                .forEach(field -> cells.add(entry.path(field).asText()));
        cells.add(placement(entry.path("predicted")));
        cells.add(entry.path("reason").asText(placement(entry.path("observed"))));
        if (format.isWide()) {
            cells.add(cpus(entry.path("predicted")));
            cells.add(cpus(entry.path("observed")));
            cells.add(entry.path("observedAt").asText());
        }
        return cells;
    }

    private static String placement(JsonNode placed) {
        return placed.has("placement") ? ExplanationTable.placement(placed.path("placement")) : "-";
    }

    private static String cpus(JsonNode placed) {
        String cpus = placed.path("containers").properties().stream()
                .map(container -> container.getKey() + "="
                        + container.getValue().path("cpus").asText())
                .filter(text -> !text.endsWith("="))
                .collect(Collectors.joining(" "));
        return cpus.isEmpty() ? "-" : cpus;
    }
}
