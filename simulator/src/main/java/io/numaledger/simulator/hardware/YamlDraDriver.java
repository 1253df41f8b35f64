package io.numaledger.simulator.hardware;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

import static io.numaledger.simulator.hardware.YamlNodes.atMost;
import static io.numaledger.simulator.hardware.YamlNodes.required;
import static io.numaledger.simulator.hardware.YamlNodes.within;
import static java.util.Objects.requireNonNullElse;

/** A DRA driver as it is written in the node YAML. */
record YamlDraDriver(
        String driver,
        @Nullable String deviceClass,
        @Nullable String extendedResourceName,
        @Nullable String pool,
        List<Device> devices,
        @Nullable Integer startDelaySeconds,
        @Nullable String prepareError) {

    DraDriverSpec toSpec(String at, String node) {
        String name = required(at + ".driver", driver);
        List<DraDevice> all = new ArrayList<>();
        for (int i = 0; i < required(at + ".devices", devices).size(); i++) {
            String deviceAt = at + ".devices[%d]".formatted(i);
            Device device = required(deviceAt, devices.get(i));
            atMost(NodeSpec.MAX_DEVICES, all.size() + (long) device.number(deviceAt), at + ".devices");
            all.addAll(device.toDevices(deviceAt, name, all.size()));
        }
        return within(
                at,
                () -> new DraDriverSpec(
                        name,
                        requireNonNullElse(deviceClass, name),
                        Optional.ofNullable(extendedResourceName),
                        requireNonNullElse(pool, node),
                        all,
                        Duration.ofSeconds(requireNonNullElse(startDelaySeconds, 0)),
                        Optional.ofNullable(prepareError)));
    }

    /** The fields of a Device of {@code resource.k8s.io/v1} have the API's names and form. */
    record Device(
            Integer count,
            @Nullable List<String> names,
            @Nullable Map<String, Map<String, Object>> attributes,
            @Nullable Map<String, Map<String, Object>> capacity,
            @Nullable Boolean allowMultipleAllocations,
            @Nullable Integer pciNumaNode) {

        int number(String at) {
            int number = names == null ? required(at + ".count", count) : names.size();
            if (number < 0) {
                throw NodeSpecYaml.malformed(at + ".count", "%d; expected 0 or more".formatted(number), null);
            }
            return number;
        }

        /** Names, when none are written: the driver's first word and a number that goes on over the whole driver. */
        List<DraDevice> toDevices(String at, String driver, int before) {
            String word = driver.replaceFirst("[.].*", "");
            List<DraDevice> all = new ArrayList<>();
            for (int i = 0; i < number(at); i++) {
                all.add(new DraDevice(
                        names == null ? "%s-%d".formatted(word, before + i) : names.get(i),
                        new TreeMap<>(requireNonNullElse(attributes, Map.of())),
                        new TreeMap<>(requireNonNullElse(capacity, Map.of())),
                        requireNonNullElse(allowMultipleAllocations, false),
                        pciNumaNode == null ? OptionalInt.empty() : OptionalInt.of(pciNumaNode)));
            }
            return all;
        }
    }
}
