package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.resource.Quantity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Devices of Dynamic Resource Allocation for people, from what {@link DevicesJson} writes. */
public final class DevicesText {

    private static final int MAX_DRIVERS = 5;
    private static final int MAX_DEVICES = 3;

    private DevicesText() {}

    private static List<JsonNode> list(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    /**
     * The free devices of a node in one cell, such as {@code sriov.example.com 1,2}: zone by zone, in the order of the zones.
     *
     * @param node as {@link NodeJson} writes it
     */
    static String free(JsonNode node) {
        List<String> zones = list(node.path("zones")).stream()
                .map(zone -> zone.path("zone").asText())
                .toList();
        SortedMap<String, SortedMap<String, Integer>> free = new TreeMap<>();
        node.path("draDevices")
                .forEach(each -> free.computeIfAbsent(each.path("driver").asText(), any -> new TreeMap<>())
                        .merge(each.path("zone").asText(), each.path("free").asInt(), Integer::sum));
        List<String> texts = free.entrySet().stream()
                .map(each -> each.getKey() + " " + free(each.getValue(), zones))
                .toList();
        return texts.isEmpty() ? "<none>" : joined(texts, MAX_DRIVERS);
    }

    private static String free(Map<String, Integer> byZone, List<String> zones) {
        int elsewhere = byZone.entrySet().stream()
                .filter(each -> !zones.contains(each.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
        String text = zones.stream()
                .map(zone -> Optional.ofNullable(byZone.get(zone))
                        .map(String::valueOf)
                        .orElse("-"))
                .collect(Collectors.joining(","));
        return elsewhere == 0 && !zones.isEmpty()
                ? text
                : "%s (%d on no known zone)".formatted(text, elsewhere).strip();
    }

    /**
     * A line for each driver, such as {@code devices of sriov.example.com: node-0 1 of 2 free}, and for each capacity that claims share, such
     * as {@code dra.cpu/cpu of dra.cpu: node-0 26 of 32 free}.
     */
    static List<String> lines(JsonNode node) {
        SortedMap<String, List<String>> texts = new TreeMap<>();
        node.path("draDevices").forEach(each -> {
            int free = each.path("free").asInt();
            add("devices", each, free, free + each.path("claimed").asInt(), texts);
        });
        List<String> lines = lines(texts);
        leftOut(node, "draDevicesLeftOut", "devices", lines);
        texts.clear();
        node.path("draCapacities").forEach(each -> {
            long all = Quantity.whole(each.path("all").asText());
            long free = Math.max(0, all - Quantity.whole(each.path("claimed").asText()));
            add(each.path("capacity").asText(), each, readable(free), readable(all), texts);
        });
        lines.addAll(lines(texts));
        leftOut(node, "draCapacitiesLeftOut", "capacity", lines);
        return lines;
    }

    private static void add(String what, JsonNode place, Object free, Object all, Map<String, List<String>> texts) {
        texts.computeIfAbsent("%s of %s".formatted(what, place.path("driver").asText()), any -> new ArrayList<>())
                .add("%s %s of %s free".formatted(place.path("zone").asText("unknown zone"), free, all));
    }

    private static List<String> lines(SortedMap<String, List<String>> texts) {
        return texts.entrySet().stream()
                .map(each -> "%s: %s".formatted(each.getKey(), String.join(", ", each.getValue())))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static void leftOut(JsonNode node, String field, String what, List<String> lines) {
        if (node.has(field)) {
            lines.add("%s of %s more drivers or zones"
                    .formatted(what, node.path(field).asText()));
        }
    }

    /** Most capacities are bytes. A count looks the same, unless it is a multiple of 1024. */
    private static String readable(long amount) {
        return Quantity.readable("memory", Quantity.ofWhole(amount));
    }

    /**
     * The claimed devices of a pod, such as {@code sriov.example.com/vf-3 on node-1}.
     *
     * @param pod as {@link NodeJson} writes it
     */
    public static String devices(JsonNode pod) {
        List<String> texts = new ArrayList<>(list(pod.at("/claims/devices")).stream()
                .map(DevicesText::device)
                .toList());
        int leftOut = pod.at("/claims/devicesLeftOut").asInt();
        return texts.isEmpty() ? "<none>" : joined(texts, MAX_DEVICES, texts.size() + leftOut);
    }

    private static String device(JsonNode device) {
        List<String> zones =
                list(device.path("zones")).stream().map(JsonNode::asText).toList();
        return "%s/%s on %s"
                .formatted(
                        device.path("driver").asText(),
                        device.path("device").asText(),
                        zones.isEmpty() ? "an unknown zone" : String.join("+", zones));
    }

    private static String joined(List<String> texts, int most) {
        return joined(texts, most, texts.size());
    }

    private static String joined(List<String> texts, int most, int all) {
        String some = texts.stream().limit(most).collect(Collectors.joining("; "));
        return all <= most ? some : "%s and %d more".formatted(some, all - most);
    }

    /** What the claims of a pod have, on one line. */
    static String line(JsonNode pod) {
        JsonNode claims = pod.path("claims");
        String alignment = claims.path("alignment").asText();
        String text = claims.path("text").asText();
        return text.isEmpty()
                ? "%s: %s".formatted(alignment, devices(pod))
                : "%s: %s; %s".formatted(alignment, devices(pod), text);
    }
}
