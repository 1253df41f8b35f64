package io.numaledger.agent.statefiles;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code cpu_manager_state} (pkg/kubelet/cm/cpumanager/state/checkpoint.go). Other fields are not needed here.
 *
 * @param policy as the kubelet names it; empty: there is no file
 * @param shared the {@code defaultCpuSet}
 * @param byPod pod UID → container → its own CPUs
 * @param ofPods the CPUs that pods have as a whole, those of their containers included: of 1.36 beside the other fields, later in the text
 *     that repeats all of the state
 */
record CpuCheckpoint(String policy, CpuSet shared, SortedMap<String, SortedMap<String, CpuSet>> byPod, CpuSet ofPods) {

    private static final JsonFactory JSON = new JsonFactory();

    static CpuCheckpoint parse(JsonParser json) throws IOException {
        Reader reader = new Reader();
        StateJson.begin(json);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            switch (value == JsonToken.VALUE_NULL ? "" : field) {
                case "policyName" -> reader.policy = json.getText();
                case "defaultCpuSet" -> reader.shared = CpuSet.parse(json.getText());
                case "entries" -> reader.entries(json);
                case "podEntries" -> reader.pods(json);
                case "data" -> reader.data(json.getText());
                default -> json.skipChildren();
            }
        }
        return new CpuCheckpoint(reader.policy, reader.shared, reader.byPod, reader.ofPods);
    }

    /** All that pods hold. */
    CpuSet held() {
        CpuSet all = ofPods;
        for (SortedMap<String, CpuSet> containers : byPod.values()) {
            for (CpuSet cpus : containers.values()) {
                all = all.union(cpus);
            }
        }
        return all;
    }

    private static final class Reader {
        private String policy = "";
        private CpuSet shared = CpuSet.EMPTY;
        private final SortedMap<String, SortedMap<String, CpuSet>> byPod = new TreeMap<>();
        private CpuSet ofPods = CpuSet.EMPTY;

        private void entries(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                SortedMap<String, CpuSet> containers =
                        byPod.computeIfAbsent(json.currentName(), any -> new TreeMap<>());
                json.nextToken();
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String container = json.currentName();
                    json.nextToken();
                    containers.put(container, CpuSet.parse(json.getText()));
                }
            }
        }

        private void pods(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                json.nextToken();
                StateJson.field(json, "cpuSet", () -> ofPods = ofPods.union(CpuSet.parse(json.getText())));
            }
        }

        private void data(String text) throws IOException {
            try (JsonParser json = JSON.createParser(text)) {
                StateJson.begin(json);
                StateJson.field(json, "podEntries", () -> pods(json));
            }
        }
    }
}
