package io.numaledger.kubectl.rehearse;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Colours;
import io.numaledger.cli.TextTable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Rehearsals for people: one sentence, the nodes, and the pods that do not stay. */
final class RehearsalText {

    private static final int MOST_NAMES = 10;

    private static final Map<String, String> FATES = Map.of(
            "stays", "stay",
            "uncertain", "stay or end",
            "moves", "move",
            "waits", "wait for their node",
            "pending", "fit nowhere",
            "lost", "lost",
            "blocked", "not to be evicted");

    private static final List<String> ORDER =
            List.of("stays", "uncertain", "moves", "waits", "pending", "lost", "blocked");

    private RehearsalText() {}

    /**
     * A rehearsal as text.
     *
     * @param result as {@link io.numaledger.apiobjects.view.RehearsalJson} writes it
     * @param wide also the pods that stay
     */
    static String of(JsonNode result, boolean wide, Colours colours) {
        return switch (result.path("action").asText()) {
            case "change" -> change(result, wide, colours);
            case "add" -> add(result, colours);
            default -> drain(result, wide, colours);
        };
    }

    /** Whether all pods stay or move, and every kubelet starts as it is. */
    static boolean isFine(JsonNode result) {
        JsonNode pods = result.path("pods");
        boolean allRun = ORDER.stream()
                .filter(fate -> !fate.equals("stays") && !fate.equals("moves"))
                .allMatch(fate -> pods.path(fate).asInt() == 0);
        return allRun
                && result.path("unfitting").isEmpty()
                && result.path("nodes")
                        .valueStream()
                        .allMatch(node -> node.path("objection").asText().isEmpty());
    }

    /** One sentence about a change. */
    static String summary(JsonNode result) {
        List<JsonNode> nodes = result.path("nodes").valueStream().toList();
        long failing = nodes.stream()
                .filter(node -> !node.path("objection").asText().isEmpty())
                .count();
        return "%d nodes by %s: %s; %s"
                .formatted(
                        nodes.size(),
                        result.path("by").asText(),
                        failing == 0
                                ? "every kubelet starts"
                                : "%d kubelets do not start as they are".formatted(failing),
                        sums(result));
    }

    private static String change(JsonNode result, boolean wide, Colours colours) {
        List<JsonNode> nodes = result.path("nodes").valueStream().toList();
        List<String> blocks = new ArrayList<>(List.of(summary(result)));
        TextTable table =
                new TextTable(List.of("NODE", "STARTS", "STAY", "UNCERTAIN", "MOVE", "LOST OR WAITING", "WHY NOT"));
        nodes.forEach(node -> table.row(row(node)));
        blocks.add(table.print(colours).stripTrailing());
        if (result.path("pools").size() > 1) {
            blocks.add(pools(result).print(colours).stripTrailing());
        }
        blocks.addAll(pods(
                nodes.stream().flatMap(node -> node.path("pods").valueStream()).toList(), wide, colours));
        if (!result.path("room").isEmpty()) {
            TextTable room = new TextTable(List.of("ROOM FOR", "BY ZONES", "AFTERWARDS", "BY SUMS", "AFTERWARDS"));
            result.path("room")
                    .forEach(each -> room.row(List.of(
                            each.path("reference").asText(),
                            each.at("/before/byZones").asText(),
                            each.at("/after/byZones").asText(),
                            each.at("/before/bySums").asText(),
                            each.at("/after/bySums").asText())));
            blocks.add(room.print(colours).stripTrailing());
        }
        names(
                        "pending pods that would fit then",
                        result.path("fitting")
                                .valueStream()
                                .map(pod -> pod.path("pod").asText())
                                .toList())
                .ifPresent(blocks::add);
        names(
                        "pending pods that would fit no longer",
                        result.path("unfitting")
                                .valueStream()
                                .map(JsonNode::asText)
                                .toList())
                .ifPresent(blocks::add);
        nodes.stream()
                .flatMap(node -> node.path("assumed").valueStream())
                .map(each -> "assumed from then on: " + each.path("text").asText())
                .distinct()
                .forEach(blocks::add);
        notConsidered(result).ifPresent(blocks::add);
        return String.join("\n\n", blocks);
    }

    private static TextTable pools(JsonNode result) {
        TextTable table = new TextTable(
                List.of("POOL", "NODES", "NOT STARTING", "STAY", "UNCERTAIN", "MOVE", "LOST OR WAITING", "WORST NODE"));
        for (JsonNode pool : result.path("pools")) {
            JsonNode pods = pool.path("pods");
            long all = pods.valueStream().mapToLong(JsonNode::asLong).sum();
            long fine = pods.path("stays").asLong()
                    + pods.path("uncertain").asLong()
                    + pods.path("moves").asLong();
            table.row(List.of(
                    cell(pool.path("pool")),
                    pool.path("nodes").asText(),
                    pool.path("notStarting").asText(),
                    pods.path("stays").asText(),
                    pods.path("uncertain").asText(),
                    pods.path("moves").asText(),
                    Long.toString(all - fine),
                    cell(pool.path("worst"))));
        }
        return table;
    }

    private static List<String> row(JsonNode node) {
        String delete = node.path("delete").valueStream().map(JsonNode::asText).collect(Collectors.joining(", "));
        String objection = node.path("objection").asText();
        boolean starts = node.path("starts").asBoolean();
        List<JsonNode> pods = node.path("pods").valueStream().toList();
        return List.of(
                node.path("node").asText(),
                objection.isEmpty() ? (starts ? "yes" : "unknown") : starts ? "without " + delete : "no",
                count(pods, List.of("stays")),
                count(pods, List.of("uncertain")),
                count(pods, List.of("moves")),
                count(pods, ORDER.subList(3, ORDER.size())),
                objection);
    }

    private static String count(List<JsonNode> pods, List<String> fates) {
        return Long.toString(pods.stream()
                .filter(pod -> fates.contains(pod.path("fate").asText()))
                .count());
    }

    private static String drain(JsonNode result, boolean wide, Colours colours) {
        List<String> blocks = new ArrayList<>();
        List<JsonNode> steps = result.path("steps").valueStream().toList();
        blocks.add("%s: %s".formatted(result.path("action").asText(), sums(result)));
        if (result.path("action").asText().equals("drain")) {
            blocks.add(order(steps, result));
        }
        blocks.addAll(pods(
                steps.stream().flatMap(step -> step.path("pods").valueStream()).toList(), wide, colours));
        notConsidered(result).ifPresent(blocks::add);
        return String.join("\n\n", blocks);
    }

    private static String order(List<JsonNode> steps, JsonNode result) {
        String order = steps.stream()
                .map(step ->
                        step.path("nodes").valueStream().map(JsonNode::asText).collect(Collectors.joining("+")))
                .collect(Collectors.joining(", "));
        return "in this order: %s%s"
                .formatted(
                        order,
                        result.has("largestAtOnce")
                                ? "; at most %d at once with no pod waiting"
                                        .formatted(result.path("largestAtOnce").asInt())
                                : "");
    }

    private static String add(JsonNode result, Colours colours) {
        int pending = result.path("fitting").size()
                + result.path("added").size()
                + result.path("waiting").size();
        List<String> blocks = new ArrayList<>();
        blocks.add("%d pending pods: %d fit now, %d on %d more nodes like %s, %d do not"
                .formatted(
                        pending,
                        result.path("fitting").size(),
                        result.path("added").size(),
                        result.path("needed").asInt(),
                        result.path("like").asText(),
                        result.path("waiting").size()));
        List<JsonNode> pods = new ArrayList<>();
        for (String part : List.of("fitting", "added", "waiting")) {
            result.path(part).forEach(pods::add);
        }
        blocks.addAll(pods(pods, true, colours));
        notConsidered(result).ifPresent(blocks::add);
        return String.join("\n\n", blocks);
    }

    /** Such as {@code 24 pods: stay 20, move 4}. */
    private static String sums(JsonNode result) {
        JsonNode pods = result.path("pods");
        long all = pods.valueStream().mapToLong(JsonNode::asLong).sum();
        String fates = ORDER.stream()
                .filter(fate -> pods.path(fate).asLong() > 0)
                .map(fate -> "%s %d".formatted(FATES.get(fate), pods.path(fate).asLong()))
                .collect(Collectors.joining(", "));
        return all == 0 ? "no pods" : "%d pods: %s".formatted(all, fates);
    }

    private static List<String> pods(List<JsonNode> pods, boolean all, Colours colours) {
        TextTable table = new TextTable(List.of("POD", "NODE", "FATE", "TARGET", "WHY"));
        List<JsonNode> shown = pods.stream()
                .filter(pod -> all || !pod.path("fate").asText().equals("stays"))
                .toList();
        shown.forEach(pod -> table.row(List.of(
                pod.path("pod").asText(),
                cell(pod.path("node")),
                pod.path("fate").asText(),
                cell(pod.path("target")),
                pod.path("why").asText())));
        return shown.isEmpty() ? List.of() : List.of(table.print(colours).stripTrailing());
    }

    private static String cell(JsonNode text) {
        return text.asText().isEmpty() ? "-" : text.asText();
    }

    private static Optional<String> names(String what, List<String> names) {
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of("%s: %s%s"
                        .formatted(
                                what,
                                names.stream().limit(MOST_NAMES).collect(Collectors.joining(", ")),
                                names.size() > MOST_NAMES ? " and %d more".formatted(names.size() - MOST_NAMES) : ""));
    }

    private static Optional<String> notConsidered(JsonNode result) {
        String some = result.path("notConsidered").asText();
        return some.isEmpty() ? Optional.empty() : Optional.of("not considered of these pods: " + some);
    }
}
