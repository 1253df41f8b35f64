package io.numaledger.agent.kubelet;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.resource.Quantity;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The fields of a KubeletConfiguration that must agree with the kubelet's state files when it starts. Those that it does not have are
 * absent: a flag of the kubelet, or a file beside it, may set them.
 *
 * @param reservedMemory such as {@code node-0 memory} to bytes, without zeros
 */
public record StartSettings(
        Optional<String> cpuPolicy,
        Optional<String> memoryPolicy,
        Optional<Boolean> strictReservation,
        Optional<CpuSet> reservedCpus,
        Optional<SortedMap<String, Long>> reservedMemory) {

    public StartSettings {
        reservedMemory = reservedMemory.map(Collections::unmodifiableSortedMap);
    }

    /** Reads the kubelet's configuration file. */
    public static StartSettings read(Path file) throws IOException {
        try (JsonParser yaml = new YAMLFactory().createParser(Files.readString(file))) {
            yaml.nextToken();
            return parse(yaml);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot use the kubelet's configuration: file=%s: %s; check --kubelet-config"
                            .formatted(
                                    file,
                                    String.valueOf(e.getMessage())
                                            .lines()
                                            .findFirst()
                                            .orElse("")),
                    e);
        }
    }

    /** These settings, and where they lack something, what another has. */
    public StartSettings over(StartSettings other) {
        return new StartSettings(
                cpuPolicy.or(other::cpuPolicy),
                memoryPolicy.or(other::memoryPolicy),
                strictReservation.or(other::strictReservation),
                reservedCpus.or(other::reservedCpus),
                reservedMemory.or(other::reservedMemory));
    }

    /** Reads settings from the token that opens the configuration. */
    static StartSettings parse(JsonParser config) throws IOException {
        Optional<String> cpuPolicy = Optional.empty();
        Optional<String> memoryPolicy = Optional.empty();
        Optional<Boolean> strict = Optional.empty();
        Optional<CpuSet> cpus = Optional.empty();
        Optional<SortedMap<String, Long>> memory = Optional.empty();
        while (config.nextToken() == JsonToken.FIELD_NAME) {
            String field = config.currentName();
            JsonToken value = config.nextToken();
            switch (value == JsonToken.VALUE_NULL ? "" : field) {
                case "cpuManagerPolicy" -> cpuPolicy = Optional.of(config.getText());
                case "memoryManagerPolicy" -> memoryPolicy = Optional.of(config.getText());
                case "cpuManagerPolicyOptions" -> strict = Optional.of(isStrict(config));
                case "reservedSystemCPUs" ->
                    cpus = Optional.of(config.getText())
                            .filter(any -> !any.isEmpty())
                            .map(CpuSet::parse);
                case "reservedMemory" -> memory = Optional.of(reservedMemory(config));
                default -> config.skipChildren();
            }
        }
        return new StartSettings(cpuPolicy, memoryPolicy, strict, cpus, memory);
    }

    private static boolean isStrict(JsonParser options) throws IOException {
        boolean strict = false;
        while (options.nextToken() == JsonToken.FIELD_NAME) {
            boolean wanted = options.currentName().equals(CpuOption.STRICT_CPU_RESERVATION.toString());
            options.nextToken();
            strict |= wanted && Boolean.parseBoolean(options.getText());
        }
        return strict;
    }

    private static SortedMap<String, Long> reservedMemory(JsonParser list) throws IOException {
        TreeMap<String, Long> reserved = new TreeMap<>();
        while (list.nextToken() == JsonToken.START_OBJECT) {
            String zone = "";
            TreeMap<String, Long> limits = new TreeMap<>();
            while (list.nextToken() == JsonToken.FIELD_NAME) {
                String field = list.currentName();
                list.nextToken();
                switch (field) {
                    case "numaNode" -> zone = "node-" + list.getText();
                    case "limits" -> {
                        while (list.nextToken() == JsonToken.FIELD_NAME) {
                            String type = list.currentName();
                            list.nextToken();
                            limits.put(type, bytes(list.getText()));
                        }
                    }
                    default -> list.skipChildren();
                }
            }
            String name = zone;
            limits.forEach((type, bytes) -> reserved.merge(name + " " + type, bytes, Long::sum));
        }
        reserved.values().removeIf(bytes -> bytes == 0);
        return reserved;
    }

    private static long bytes(String quantity) {
        return Quantity.parse(quantity).setScale(0, RoundingMode.CEILING).longValueExact();
    }
}
