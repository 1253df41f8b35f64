package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.TextTable;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.output.Result;
import io.numaledger.kubectl.output.Watch;
import io.numaledger.kubectl.view.ZoneUse.Use;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.resource.Quantity;
import io.numaledger.resource.ResourceKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code kubectl numa top}: how full each zone is. */
@Command(
        name = "top",
        description = "Shows how much of each zone pods hold.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class TopView implements Callable<Integer> {

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";

    /** What can decide the order. */
    private enum Order {
        cpu(ResourceKind.CPU),
        memory(ResourceKind.MEMORY),
        devices(ResourceKind.DEVICE);

        private final ResourceKind kind;

        Order(ResourceKind kind) {
            this.kind = kind;
        }
    }

    private final Surroundings surroundings;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    @Mixin
    private final Watch watch = new Watch();

    @Option(
            names = "--sort-by",
            paramLabel = "RESOURCE",
            description = "${COMPLETION-CANDIDATES}: the fullest zone first (default: by name)")
    private Optional<Order> order = Optional.empty();

    public TopView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        return watch.run(() -> new Result(text(zones()), 0), surroundings.colours());
    }

    private List<ZoneUse> zones() throws IOException {
        List<ZoneUse> zones = new ArrayList<>();
        for (JsonNode node : cluster.zones().nodes()) {
            zones.addAll(ZoneUse.of(node));
        }
        order.ifPresent(by -> zones.sort(Comparator.comparingLong((ZoneUse zone) -> zone.percent(by.kind))
                .reversed()));
        return zones;
    }

    private String text(List<ZoneUse> zones) {
        return format.text(zones.stream().map(ZoneUse::json).toList(), rows -> table(zones), surroundings.colours());
    }

    private TextTable table(List<ZoneUse> zones) {
        List<String> header = new ArrayList<>(List.of("NODE", "ZONE", "CPU", "CPU%", "MEMORY", "MEMORY%", "DEVICES"));
        if (format.isWide()) {
            header.add("HUGEPAGES");
        }
        TextTable table = new TextTable(header);
        for (ZoneUse zone : zones) {
            List<String> cells = new ArrayList<>(List.of(zone.node(), zone.zone()));
            for (String resource : List.of(CPU, MEMORY)) {
                Optional<Use> use = Optional.ofNullable(zone.uses().get(resource));
                cells.add(use.map(each -> amounts(resource, each)).orElse("-"));
                cells.add(use.map(each -> each.percent() + "%").orElse("-"));
            }
            cells.add(others(zone, false));
            if (format.isWide()) {
                cells.add(others(zone, true));
            }
            table.row(cells);
        }
        return table;
    }

    private static String others(ZoneUse zone, boolean memory) {
        List<String> texts = new ArrayList<>();
        zone.uses().forEach((resource, use) -> {
            boolean isMemory = ResourceKind.of(resource) == ResourceKind.MEMORY;
            if (isMemory == memory && !resource.equals(CPU) && !resource.equals(MEMORY)) {
                texts.add(resource + " " + amounts(resource, use));
            }
        });
        return texts.isEmpty() ? "-" : String.join("; ", texts);
    }

    private static String amounts(String resource, Use use) {
        return text(resource, use.held()) + "/" + text(resource, use.allocatable());
    }

    private static String text(String resource, long milli) {
        if (resource.equals(MEMORY)) {
            return String.format(Locale.ROOT, "%.1f GiB", milli / 1000.0 / (1 << 30));
        }
        return Quantity.readable(resource, Quantity.ofMilli(milli));
    }
}
