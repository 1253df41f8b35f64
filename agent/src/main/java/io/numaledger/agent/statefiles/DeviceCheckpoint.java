package io.numaledger.agent.statefiles;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.placement.DeviceAllocation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * {@code device-plugins/kubelet_internal_checkpoint} (pkg/kubelet/cm/devicemanager/checkpoint/checkpoint.go):
 * {@code {"Data":{"PodDeviceEntries":[{"PodUID","ContainerName","ResourceName","DeviceIDs":{NUMA node:[id]}}]}}}. Other fields are
 * not needed here.
 */
final class DeviceCheckpoint {

    private DeviceCheckpoint() {}

    /** Devices of one resource that one container holds. */
    record Entry(String podUid, String container, List<DeviceAllocation> devices) {}

    static List<Entry> parse(JsonParser json) throws IOException {
        List<Entry> entries = new ArrayList<>();
        StateJson.begin(json);
        StateJson.field(
                json,
                "Data",
                () -> StateJson.field(json, "PodDeviceEntries", () -> {
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        entries.add(entry(json));
                    }
                }));
        return entries;
    }

    private static Entry entry(JsonParser json) throws IOException {
        String podUid = "";
        String container = "";
        String resource = "";
        SortedMap<String, SortedSet<Integer>> ids = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "PodUID" -> podUid = json.getText();
                case "ContainerName" -> container = json.getText();
                case "ResourceName" -> resource = json.getText();
                case "DeviceIDs" -> ids = ids(json);
                default -> json.skipChildren();
            }
        }
        List<DeviceAllocation> devices = new ArrayList<>();
        for (var device : ids.entrySet()) {
            devices.add(new DeviceAllocation(resource, device.getKey(), device.getValue()));
        }
        return new Entry(podUid, container, devices);
    }

    /** A device of several NUMA nodes stands under each of them, one without topology under -1. */
    private static SortedMap<String, SortedSet<Integer>> ids(JsonParser json) throws IOException {
        SortedMap<String, SortedSet<Integer>> numaNodes = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            int numaNode = Integer.parseInt(json.currentName());
            json.nextToken();
            while (json.nextToken() == JsonToken.VALUE_STRING) {
                SortedSet<Integer> of = numaNodes.computeIfAbsent(json.getText(), id -> new TreeSet<>());
                if (numaNode >= 0) {
                    of.add(numaNode);
                }
            }
        }
        return numaNodes;
    }
}
