package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The recorded decisions again, with other NUMA node ids: where ids keep their order, no decision may change. Only
 * {@code prefer-closest-numa-nodes} is left out, as the kubelet then reads the wrong column.
 */
class SparseIdsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int[] NEW_IDS = {0, 2, 3, 8, 17, 40, 41, 62, 63};

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"handmade", "basic", "options", "groups", "nondeterministic", "versions", "versions-1.37"})
    void decidesAsWithDenseIds(String file) throws IOException {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded admissions are compared only where NUMALEDGER_DATA names their directory");
        Replay replay = new Replay(new Replay.Observer() {});

        for (String line : lines(Path.of(data, "kubelet-golden", file + ".jsonl.gz"))) {
            JsonNode scenario = JSON.readTree(line);
            if (!line.contains("prefer-closest-numa-nodes\":\"true")) {
                renumber(scenario);
                replay.run(ScenarioReader.read(scenario));
            }
        }

        assertThat(replay.differences()).isEmpty();
        assertThat(replay.admissions()).isGreaterThan(100);
    }

    private static List<String> lines(Path file) throws IOException {
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }

    private static void renumber(JsonNode scenario) {
        for (JsonNode node : scenario.path("machine").path("numaNodes")) {
            replace((ObjectNode) node, "id");
        }
        for (JsonNode reserved : scenario.path("config").path("reservedMemory")) {
            replace((ObjectNode) reserved, "numaNode");
        }
        scenario.path("machine")
                .path("devices")
                .forEach(list -> list.forEach(device -> replaceAll(device.path("numaNodes"))));
        for (JsonNode step : scenario.path("steps")) {
            step.path("result").path("containers").forEach(SparseIdsTest::renumberContainer);
        }
    }

    private static void renumberContainer(JsonNode container) {
        container.path("memory").forEach(block -> replaceAll(block.path("numaAffinity")));
        container.path("devices").forEach(counts -> {
            if (counts instanceof ObjectNode object) {
                ObjectNode copy = object.deepCopy();
                object.removeAll();
                copy.properties().forEach(entry -> object.set(newKey(entry.getKey()), entry.getValue()));
            }
        });
    }

    private static String newKey(String nodes) {
        return nodes.equals("none")
                ? nodes
                : Arrays.stream(nodes.split(","))
                        .map(id -> Integer.toString(NEW_IDS[Integer.parseInt(id)]))
                        .collect(Collectors.joining(","));
    }

    private static void replace(ObjectNode object, String field) {
        object.set(field, IntNode.valueOf(NEW_IDS[object.get(field).asInt()]));
    }

    private static void replaceAll(JsonNode ids) {
        if (ids instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, IntNode.valueOf(NEW_IDS[array.get(i).asInt()]));
            }
        }
    }
}
