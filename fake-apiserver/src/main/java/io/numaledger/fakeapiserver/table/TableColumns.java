package io.numaledger.fakeapiserver.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.Option;
import com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider;
import com.jayway.jsonpath.spi.mapper.JacksonMappingProvider;
import io.numaledger.fakeapiserver.resource.ResourceType;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The columns of one kind. */
public final class TableColumns {

    private static final Configuration JSON_PATH = Configuration.builder()
            .jsonProvider(new JacksonJsonNodeJsonProvider())
            .mappingProvider(new JacksonMappingProvider())
            .options(Option.SUPPRESS_EXCEPTIONS, Option.ALWAYS_RETURN_LIST)
            .build();

    private static final Column NAME = new Column(
            "Name", "name", 0, object -> object.path("metadata").path("name").asText());
    private static final Column AGE = new Column(
            "Age",
            "",
            0,
            object -> age(object.path("metadata").path("creationTimestamp").asText()));

    private static final List<Column> POD = List.of(
            NAME,
            new Column("Ready", "", 0, TableColumns::readyContainers),
            new Column("Status", "", 0, TableColumns::podStatus),
            new Column("Restarts", "", 0, TableColumns::restarts),
            AGE,
            new Column("IP", "", 1, object -> textOrNone(object.path("status").path("podIP"))),
            new Column("Node", "", 1, object -> textOrNone(object.path("spec").path("nodeName"))));
    private static final List<Column> NODE = List.of(NAME, new Column("Status", "", 0, TableColumns::nodeStatus), AGE);
    private static final List<Column> EVENT = List.of(
            new Column("Last Seen", "", 0, TableColumns::lastSeen),
            new Column("Type", "", 0, object -> object.path("type").asText()),
            new Column("Reason", "", 0, object -> object.path("reason").asText()),
            new Column("Object", "", 0, TableColumns::involvedObject),
            new Column(
                    "Message", "", 0, object -> object.path("message").asText().strip()));

    private final List<Column> columns;

    /** @param priority 0: always shown; 1: only with {@code -o wide} */
    private record Column(String name, String format, int priority, Function<JsonNode, String> cell) {}

    private TableColumns(List<Column> columns) {
        this.columns = columns;
    }

    public static TableColumns of(ResourceType type, String version) {
        return switch (type.qualifiedName()) {
            case "pods" -> new TableColumns(POD);
            case "nodes" -> new TableColumns(NODE);
            case "events" -> new TableColumns(EVENT);
            default -> new TableColumns(printerColumns(type.printerColumns(version)));
        };
    }

    private static List<Column> printerColumns(JsonNode additional) {
        List<Column> columns = new ArrayList<>(List.of(NAME));
        for (JsonNode each : additional) {
            String path = "$" + each.path("jsonPath").asText();
            boolean date = each.path("type").asText().equals("date");
            columns.add(new Column(
                    each.path("name").asText(), "", each.path("priority").asInt(), object -> {
                        JsonNode found = JsonPath.using(JSON_PATH)
                                .parse(object)
                                .<JsonNode>read(path)
                                .path(0);
                        return date ? age(found.asText()) : found.asText();
                    }));
        }
        if (additional.isEmpty()) {
            columns.add(AGE);
        }
        return columns;
    }

    /** {@code columnDefinitions} of a table. */
    public ArrayNode definitions() {
        ArrayNode definitions = JsonNodeFactory.instance.arrayNode();
        columns.forEach(column -> definitions
                .addObject()
                .put("name", column.name())
                .put("type", "string")
                .put("format", column.format())
                .put("description", "")
                .put("priority", column.priority()));
        return definitions;
    }

    /** The {@code cells} of an object's row. */
    public ArrayNode cells(ObjectNode object) {
        ArrayNode cells = JsonNodeFactory.instance.arrayNode();
        columns.forEach(column -> cells.add(column.cell().apply(object)));
        return cells;
    }

    private static String textOrNone(JsonNode text) {
        return text.asText().isEmpty() ? "<none>" : text.asText();
    }

    private static String readyContainers(JsonNode pod) {
        int ready = 0;
        for (JsonNode status : pod.path("status").path("containerStatuses")) {
            ready += status.path("ready").asBoolean() ? 1 : 0;
        }
        return ready + "/" + pod.path("spec").path("containers").size();
    }

    /** The reason if there is one, else the phase. */
    private static String podStatus(JsonNode pod) {
        JsonNode status = pod.path("status");
        if (pod.path("metadata").has("deletionTimestamp")) {
            return "Terminating";
        }
        return status.path("reason").asText().isEmpty()
                ? status.path("phase").asText()
                : status.path("reason").asText();
    }

    private static String restarts(JsonNode pod) {
        int restarts = 0;
        for (JsonNode status : pod.path("status").path("containerStatuses")) {
            restarts += status.path("restartCount").asInt();
        }
        return Integer.toString(restarts);
    }

    private static String nodeStatus(JsonNode node) {
        String ready = "Unknown";
        for (JsonNode condition : node.path("status").path("conditions")) {
            if (condition.path("type").asText().equals("Ready")) {
                ready = condition.path("status").asText().equals("True") ? "Ready" : "NotReady";
            }
        }
        return node.path("spec").path("unschedulable").asBoolean() ? ready + ",SchedulingDisabled" : ready;
    }

    private static String lastSeen(JsonNode event) {
        JsonNode last = event.path("series").path("lastObservedTime");
        for (String field : List.of("lastTimestamp", "eventTime", "firstTimestamp")) {
            last = last.asText("").isEmpty() || last.isNull() ? event.path(field) : last;
        }
        return age(last.asText(""));
    }

    private static String involvedObject(JsonNode event) {
        JsonNode object = event.path("involvedObject");
        return object.path("kind").asText().toLowerCase(Locale.ROOT) + "/"
                + object.path("name").asText();
    }

    private static String age(String timestamp) {
        try {
            return Ages.human(Duration.between(Instant.parse(timestamp), Instant.now()));
        } catch (DateTimeParseException e) {
            return "<unknown>";
        }
    }
}
