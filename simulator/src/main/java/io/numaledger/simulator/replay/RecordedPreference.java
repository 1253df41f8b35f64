package io.numaledger.simulator.replay;

import io.numaledger.kubelet.device.DevicePreference;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** How the device plugins of recorded machines answer {@code GetPreferredAllocation}. */
enum RecordedPreference implements DevicePreference {
    /** The first ids. */
    LOW,
    /** The last ids. */
    HIGH,
    /** The devices that must be in, then the first ids. */
    MUST,
    /** The first ids, one fewer than requested. */
    SHORT,
    /** The first by reversed id. */
    ODD,
    /** Ids that no device has. */
    FOREIGN;

    /** @throws IllegalArgumentException naming the text, when it is none of these */
    static RecordedPreference named(String text) {
        return Stream.of(values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown preference of a device plugin: preference=%s; look at the file's README"
                                .formatted(text)));
    }

    @Override
    public Set<String> choose(SortedSet<String> available, SortedSet<String> mustInclude, int size) {
        List<String> ids = new ArrayList<>(available);
        return switch (this) {
            case LOW -> first(ids, size);
            case HIGH -> {
                ids.sort(Comparator.reverseOrder());
                yield first(ids, size);
            }
            case MUST -> {
                ids.removeAll(mustInclude);
                ids.addAll(0, mustInclude);
                yield first(ids, size);
            }
            case SHORT -> first(ids, size - 1);
            case ODD -> {
                ids.sort(Comparator.comparing(
                        id -> new StringBuilder(id).reverse().toString()));
                yield first(ids, size);
            }
            case FOREIGN -> Set.of("foreign");
        };
    }

    private static Set<String> first(List<String> ids, int size) {
        return new TreeSet<>(ids.subList(0, Math.min(size, ids.size())));
    }
}
