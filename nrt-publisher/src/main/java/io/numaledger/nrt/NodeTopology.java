package io.numaledger.nrt;

import io.numaledger.placement.Amounts;
import io.numaledger.topology.ZoneName;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * A NodeResourceTopology object (topology.node.k8s.io/v1alpha2), as far as anybody reads it. It is named after its node.
 *
 * @param owner the object whose end it shares; absent: unknown or none
 * @param annotations of the object
 * @param attributes by name, in the order of the map, which may have a comparator of its own; where an object names one twice,
 *     the first counts, as for its other readers
 * @param topologyPolicies the deprecated field: policy and scope in one word; empty: it is not there
 * @param zones in the order of the object
 */
public record NodeTopology(
        String node,
        Optional<Owner> owner,
        SortedMap<String, String> annotations,
        SortedMap<String, String> attributes,
        List<String> topologyPolicies,
        List<Zone> zones) {

    public static final String API_VERSION = "topology.node.k8s.io/v1alpha2";
    public static final String KIND = "NodeResourceTopology";

    public NodeTopology {
        annotations = sorted(annotations);
        attributes = attributes.comparator() == null
                ? sorted(attributes)
                : Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
        topologyPolicies = List.copyOf(topologyPolicies);
        zones = List.copyOf(zones);
    }

    /** A topology without annotations and without the deprecated field. */
    public NodeTopology(String node, Optional<Owner> owner, SortedMap<String, String> attributes, List<Zone> zones) {
        this(node, owner, new TreeMap<>(), attributes, List.of(), zones);
    }

    /** An owner reference; neither {@code controller} nor {@code blockOwnerDeletion}. */
    public record Owner(String apiVersion, String kind, String name, String uid) {

        public static Owner node(String name, String uid) {
            return new Owner("v1", "Node", name, uid);
        }

        public static Owner namespace(String name, String uid) {
            return new Owner("v1", "Namespace", name, uid);
        }
    }

    /**
     * One zone, such as {@code node-0} of type {@code Node}.
     *
     * @param costs zone name → distance
     * @param attributes by name
     * @param resources resource name → its three amounts
     */
    public record Zone(
            String name,
            String type,
            SortedMap<String, Long> costs,
            SortedMap<String, String> attributes,
            SortedMap<String, ZoneResource> resources) {

        public static final String TYPE_NODE = "Node";

        public Zone {
            costs = sorted(costs);
            attributes = sorted(attributes);
            resources = sorted(resources);
        }
    }

    /**
     * One resource of a zone: {@code cpu} in milli-CPU, memory and hugepages in bytes, devices in counts.
     *
     * @param capacity all of it, reserved CPUs and unhealthy devices that are held included
     * @param allocatable what pods may use
     * @param available allocatable less what running pods hold
     */
    public record ZoneResource(long capacity, long allocatable, long available) {

        /** Stands for amounts that are no quantities. */
        public static final ZoneResource UNREADABLE = new ZoneResource(-1, -1, -1);

        /** Whether all amounts are quantities of something. */
        public boolean isReadable() {
            return capacity >= 0 && allocatable >= 0 && available >= 0;
        }
    }

    /** Whether an agent of this project wrote it, in its own profile. */
    public boolean isFromAgent() {
        return attributes.containsKey(TopologyAttributes.INIT_CONTAINERS);
    }

    /** Zones of NUMA nodes by id; other zones are left out. */
    public SortedMap<Integer, Zone> numaZones() {
        TreeMap<Integer, Zone> byId = new TreeMap<>();
        for (Zone zone : zones) {
            if (zone.type().equals(Zone.TYPE_NODE)) {
                ZoneName.numaNode(zone.name()).ifPresent(id -> byId.putIfAbsent(id, zone));
            }
        }
        return byId;
    }

    /** How many characters its names and values have, about: how much memory it needs. */
    public long characters() {
        return characters(annotations)
                + characters(attributes)
                + zones.stream().mapToLong(NodeTopology::characters).sum();
    }

    private static long characters(Zone zone) {
        return zone.name().length()
                + zone.type().length()
                + characters(zone.costs())
                + characters(zone.attributes())
                + characters(zone.resources());
    }

    private static long characters(SortedMap<String, ?> values) {
        return values.entrySet().stream()
                .mapToLong(each ->
                        each.getKey().length() + (each.getValue() instanceof String text ? text.length() : Long.BYTES))
                .sum();
    }

    /** This topology with other zones. */
    public NodeTopology withZones(List<Zone> others) {
        return new NodeTopology(node, owner, annotations, attributes, topologyPolicies, others);
    }

    /** The available amounts of every NUMA zone. */
    public Map<Integer, Amounts> available() {
        TreeMap<Integer, Amounts> available = new TreeMap<>();
        numaZones().forEach((id, zone) -> {
            TreeMap<String, Long> amounts = new TreeMap<>();
            zone.resources().forEach((name, resource) -> amounts.put(name, resource.available()));
            available.put(id, new Amounts(amounts));
        });
        return available;
    }
}
