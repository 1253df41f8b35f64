package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.NodeConstraints.Taint;
import io.numaledger.pod.RequestedAmount;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Reads the devices of ResourceSlices. A device or attribute that cannot be read is left out, and named. Equal values become one object,
 * because nodes repeat them. Thread-safe.
 */
public final class ResourceSliceReader {

    /** The API server takes 128. */
    static final int MAX_DEVICES = 10_000;

    private static final int MAX_ATTRIBUTES = 64;
    private static final int MAX_VALUES = NumaNodes.MAX_ID + 1;
    private static final int MAX_COUNTERS = 1024;
    private static final int MAX_TEXT = 253;
    private static final int MAX_SHARED = 20_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._/-]{1,320}");

    private static final Map<String, DeviceAttribute.Type> TYPES = Map.of(
            "int",
            DeviceAttribute.Type.INT,
            "bool",
            DeviceAttribute.Type.BOOL,
            "string",
            DeviceAttribute.Type.STRING,
            "version",
            DeviceAttribute.Type.VERSION);

    private final Interner<String> texts = new Interner<>(text -> text);
    private final Interner<RequestedAmount> amounts = new Interner<>(RequestedAmount::parse);
    private final Map<DeviceAttribute, DeviceAttribute> shared = new ConcurrentHashMap<>();

    /** @throws IllegalArgumentException naming the field that is missing */
    public ResourceSlice slice(JsonNode object) {
        JsonNode spec = object.path("spec");
        ReadingProblems problems = new ReadingProblems();
        String driver = required(object, "/spec/driver");
        String pool = required(object, "/spec/pool/name");
        List<Device> devices = devices(spec, driver, pool, problems);
        return new ResourceSlice(
                required(object, "/metadata/name"),
                driver,
                pool,
                spec.path("pool").path("generation").asLong(),
                spec.path("pool").path("resourceSliceCount").asLong(),
                devices,
                counters(spec.path("sharedCounters"), "name", problems),
                problems.sentences());
    }

    private String required(JsonNode object, String field) {
        String value = object.at(field).asText();
        if (!NAME.matcher(value).matches()) {
            throw new IllegalArgumentException("a ResourceSlice has no usable %s; ask who runs its driver"
                    .formatted(field.substring(1).replace('/', '.')));
        }
        return texts.of(value);
    }

    private List<Device> devices(JsonNode spec, String driver, String pool, ReadingProblems problems) {
        List<Device> devices = new ArrayList<>();
        Set<String> names = new HashSet<>();
        JsonNode all = spec.path("devices");
        for (JsonNode each : all) {
            String name = each.path("name").asText();
            if (devices.size() == MAX_DEVICES) {
                problems.add("it has %s devices, more than are read", Integer.toString(all.size()));
                break;
            }
            if (!NAME.matcher(name).matches() || !names.add(name)) {
                problems.add("the device name '%s' is odd, or not the only one", name);
            } else {
                devices.add(device(new DeviceId(driver, pool, texts.of(name)), each, spec, problems));
            }
        }
        return devices;
    }

    private Device device(DeviceId id, JsonNode device, JsonNode spec, ReadingProblems problems) {
        SortedMap<String, DeviceAttribute> attributes = attributes(id, device.path("attributes"), problems);
        String node = (spec.path("perDeviceNodeSelection").asBoolean() ? device : spec)
                .path("nodeName")
                .asText();
        return new Device(
                id,
                node.isEmpty() ? Optional.empty() : Optional.of(texts.of(node)),
                NumaNodes.of(attributes),
                attributes,
                capacity(id, device.path("capacity"), problems),
                taints(device.path("taints")),
                device.path("allowMultipleAllocations").asBoolean(),
                !device.path("consumesCounters").isEmpty(),
                counters(device.path("consumesCounters"), "counterSet", problems),
                !device.path("bindingConditions").isEmpty());
    }

    private SortedMap<String, DeviceAttribute> attributes(DeviceId id, JsonNode all, ReadingProblems problems) {
        SortedMap<String, DeviceAttribute> attributes = new TreeMap<>();
        for (Map.Entry<String, JsonNode> each : all.properties()) {
            if (!NAME.matcher(each.getKey()).matches() || attributes.size() == MAX_ATTRIBUTES) {
                problems.add("attributes of %s are too many, or have odd names", id.name());
            } else {
                DeviceAttribute value = attribute(each.getValue());
                if (value.values().isEmpty()) {
                    problems.add("the value of attribute %s cannot be read", id.name() + "/" + each.getKey());
                }
                attributes.put(qualified(each.getKey(), id), isUnique(each.getKey()) ? value : shared(value));
            }
        }
        return attributes;
    }

    /** Names without a domain have the driver's (ResourceSlice, QualifiedName). */
    private String qualified(String name, DeviceId id) {
        return texts.of(name.contains("/") ? name : id.driver() + "/" + name);
    }

    private static boolean isUnique(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.contains("uuid") || lower.contains("serial") || lower.contains("pcibusid");
    }

    private DeviceAttribute shared(DeviceAttribute value) {
        DeviceAttribute known = shared.get(value);
        if (known == null && shared.size() < MAX_SHARED) {
            shared.put(value, value);
        }
        return known == null ? value : known;
    }

    /** An attribute; one that cannot be read has no values. */
    private DeviceAttribute attribute(JsonNode value) {
        for (Map.Entry<String, DeviceAttribute.Type> type : TYPES.entrySet()) {
            Optional<String> one = text(value.path(type.getKey()), type.getValue());
            if (one.isPresent()) {
                return new DeviceAttribute(type.getValue(), false, List.of(one.get()));
            }
            JsonNode list = value.path(type.getKey() + "s");
            if (list.isArray()) {
                return new DeviceAttribute(type.getValue(), true, values(list, type.getValue()));
            }
        }
        return new DeviceAttribute(DeviceAttribute.Type.STRING, false, List.of());
    }

    /** The values of a list; none if one of them cannot be read. */
    private List<String> values(JsonNode list, DeviceAttribute.Type type) {
        List<String> values = new ArrayList<>();
        for (JsonNode each : list) {
            Optional<String> one = text(each, type);
            if (one.isEmpty() || values.size() == MAX_VALUES) {
                return List.of();
            }
            values.add(one.get());
        }
        return values;
    }

    private Optional<String> text(JsonNode value, DeviceAttribute.Type type) {
        boolean isUsable = switch (type) {
            case INT -> value.isIntegralNumber() && value.canConvertToLong();
            case BOOL -> value.isBoolean();
            case STRING, VERSION -> value.isTextual() && value.asText().length() <= MAX_TEXT;
        };
        return isUsable ? Optional.of(value.asText()) : Optional.empty();
    }

    private SortedMap<String, RequestedAmount> capacity(DeviceId id, JsonNode all, ReadingProblems problems) {
        SortedMap<String, RequestedAmount> capacity = new TreeMap<>();
        for (Map.Entry<String, JsonNode> each : all.properties()) {
            try {
                if (!NAME.matcher(each.getKey()).matches() || capacity.size() == MAX_ATTRIBUTES) {
                    problems.add("capacities of %s are too many, or have odd names", id.name());
                } else {
                    capacity.put(
                            qualified(each.getKey(), id),
                            amounts.of(each.getValue().path("value").asText()));
                }
            } catch (IllegalArgumentException e) {
                problems.add("the capacity %s cannot be read", id.name() + "/" + each.getKey());
            }
        }
        return capacity;
    }

    /**
     * Reads sets of counters: those of a pool, or what a device uses of them.
     *
     * @param set the field with the name of the set
     */
    private SortedMap<String, Long> counters(JsonNode sets, String set, ReadingProblems problems) {
        SortedMap<String, Long> counters = new TreeMap<>();
        for (JsonNode each : sets) {
            for (Map.Entry<String, JsonNode> counter : each.path("counters").properties()) {
                String name = each.path(set).asText() + "/" + counter.getKey();
                try {
                    if (!NAME.matcher(name).matches() || counters.size() == MAX_COUNTERS) {
                        problems.add("counters are too many, or have odd names: %s", name);
                    } else {
                        String amount = counter.getValue().path("value").asText();
                        counters.put(texts.of(name), amounts.of(amount).millis());
                    }
                } catch (IllegalArgumentException e) {
                    problems.add("the counter %s cannot be read", name);
                }
            }
        }
        return counters;
    }

    private List<Taint> taints(JsonNode all) {
        List<Taint> taints = new ArrayList<>();
        for (JsonNode each : all) {
            String effect = each.path("effect").asText();
            if (taints.size() < MAX_ATTRIBUTES && (effect.equals("NoSchedule") || effect.equals("NoExecute"))) {
                taints.add(new Taint(
                        texts.of(each.path("key").asText()),
                        texts.of(each.path("value").asText()),
                        texts.of(effect)));
            }
        }
        return taints;
    }
}
