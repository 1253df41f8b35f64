package io.numaledger.objects;

import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.TopologyAttributes;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Has one object for equal names, attributes and distances of NodeResourceTopologies: nodes of one type repeat them. Thread-safe. */
public final class TopologyInterner {

    /** The most characters of all attributes that are kept. Whoever writes an object may write other ones all the time. */
    private static final long MAX_CHARACTERS = 8 << 20;

    private final Interner<String> texts = new Interner<>(text -> text);
    private final Map<SortedMap<String, ?>, SortedMap<String, ?>> maps = new ConcurrentHashMap<>();
    private final AtomicLong characters = new AtomicLong();

    /** An equal object. */
    public NodeTopology interned(NodeTopology read) {
        SortedMap<String, String> attributes = new TreeMap<>(read.attributes());
        attributes.replaceAll((name, value) -> name.equals(TopologyAttributes.FINGERPRINT) ? value : texts.of(value));
        return new NodeTopology(
                read.node(),
                read.owner(),
                read.annotations(),
                named(attributes),
                read.topologyPolicies(),
                read.zones().stream().map(this::interned).toList());
    }

    private Zone interned(Zone zone) {
        return new Zone(
                texts.of(zone.name()),
                texts.of(zone.type()),
                interned(zone.costs()),
                interned(zone.attributes()),
                named(zone.resources()));
    }

    private <V> SortedMap<String, V> named(SortedMap<String, V> map) {
        SortedMap<String, V> named = new TreeMap<>(map.comparator());
        map.forEach((name, value) -> named.put(texts.of(name), value));
        return named;
    }

    @SuppressWarnings("unchecked") // equal maps have equal values
    private <V> SortedMap<String, V> interned(SortedMap<String, V> map) {
        SortedMap<String, ?> known = maps.get(map);
        if (known != null) {
            return (SortedMap<String, V>) known;
        }
        long more = map.entrySet().stream()
                .mapToLong(each ->
                        each.getKey().length() + each.getValue().toString().length())
                .sum();
        if (characters.addAndGet(more) > MAX_CHARACTERS) {
            maps.clear();
            characters.set(more);
        }
        maps.put(map, map);
        return map;
    }
}
