package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.alignment.ClaimNeeds;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.ClaimedDevice;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DevicePool;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.resource.Saturating;
import org.jspecify.annotations.Nullable;

import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static io.numaledger.topology.Sorted.sortedSet;
import static java.util.Objects.requireNonNull;

/**
 * The devices that drivers publish in a cluster, and what claims hold of them. A device whose slice vanishes is kept as long as a claim holds
 * it. Thread-safe.
 */
public final class ClusterClaims implements ClaimLookup {

    private final PublishedDevices published;
    private final Map<DeviceId, SortedSet<String>> holders = new HashMap<>();
    private final VanishedDevices vanished = new VanishedDevices();
    private final Map<String, PciNumaNodes> pciNumaNodes = new HashMap<>();
    private final Map<String, ResourceClaim> claims = new ConcurrentHashMap<>();

    /** Pod key → devices that its claims are about to get. */
    private final Map<String, Set<DeviceId>> requested = new ConcurrentHashMap<>();

    private final Map<String, DeviceClass> classes = new ConcurrentHashMap<>();

    /** Node → its devices; an absent value has to be made again. Nodes without devices are missing. */
    private final Map<String, Optional<NodeDevices>> nodes = new ConcurrentHashMap<>();

    private final Consumer<String> nodeChanged;
    private final Runnable claimSeen;
    private final MisalignedBinds misaligned;
    private final Runnable servedChanged;
    private Set<String> changed = new HashSet<>();
    private volatile SortedSet<String> served = Collections.emptySortedSet();

    /**
     * Knows nothing yet.
     *
     * @param nodeChanged called after an event, with the name of each node whose devices or claims are different
     * @param claimSeen called after each event of a claim
     * @param servedChanged called when {@link #served} is different
     */
    public ClusterClaims(
            Consumer<String> nodeChanged, Runnable claimSeen, Runnable servedChanged, InstantSource clock) {
        this.nodeChanged = nodeChanged;
        this.claimSeen = claimSeen;
        this.servedChanged = servedChanged;
        this.misaligned = new MisalignedBinds(clock, nodeChanged);
        this.published = new PublishedDevices(device -> forget(device.id()), this::vanished, node -> changed.add(node));
    }

    public void sliceChanged(ResourceSlice slice) {
        apply(() -> published.put(slice));
    }

    public void sliceDeleted(String name) {
        apply(() -> published.remove(name));
    }

    public void claimChanged(ResourceClaim claim) {
        apply(() -> hold(claim.key(), held(claim), held(claims.put(claim.key(), claim))));
        claimSeen.run();
    }

    public void claimDeleted(String namespace, String name) {
        String key = namespace + "/" + name;
        apply(() -> hold(key, Set.of(), held(claims.remove(key))));
    }

    private static Set<DeviceId> held(@Nullable ResourceClaim claim) {
        return Optional.ofNullable(claim)
                .flatMap(ResourceClaim::allocation)
                .map(ClaimAllocation::held)
                .orElse(Set.of());
    }

    /** Another scheduler has decided what the claims of a pod get. The devices are held from now on, until it gets others, or none. */
    public void requested(String podKey, Set<DeviceId> devices) {
        if (!devices.equals(requested.getOrDefault(podKey, Set.of()))) {
            apply(() -> {
                Set<DeviceId> before = requested.getOrDefault(podKey, Set.of());
                requested.put(podKey, devices);
                requested.remove(podKey, Set.of());
                hold(podKey + " (BindRequest)", devices, before);
            });
        }
    }

    public void classChanged(DeviceClass deviceClass) {
        classes.put(deviceClass.name(), deviceClass);
        updateServed();
    }

    public void classDeleted(String name) {
        classes.remove(name);
        updateServed();
    }

    private void updateServed() {
        boolean different;
        synchronized (this) {
            SortedSet<String> now = sortedSet(classes.values().stream()
                    .flatMap(each -> each.extendedResources().stream())
                    .collect(Collectors.toSet()));
            different = !now.equals(served);
            served = now;
        }
        if (different) {
            servedChanged.run();
        }
    }

    /** @param numaNodes of the node's PCI functions, as its agent publishes them */
    public void pciNumaNodesChanged(String node, PciNumaNodes numaNodes) {
        apply(() -> {
            PciNumaNodes before = numaNodes.isEmpty() ? pciNumaNodes.remove(node) : pciNumaNodes.put(node, numaNodes);
            if (!numaNodes.equals(before == null ? PciNumaNodes.NONE : before) && nodes.containsKey(node)) {
                changed.add(node);
            }
        });
    }

    /** The devices of a node. The same object until they or their claims change. */
    @Override
    public NodeDevices devices(String node) {
        Optional<NodeDevices> known = nodes.get(node);
        return known == null ? NodeDevices.NONE : known.orElseGet(() -> make(node));
    }

    /** The devices that several nodes can use. */
    @Override
    public NodeDevices devicesOfNoNode() {
        return devices(PublishedDevices.NO_NODE);
    }

    /** What cannot be read of the slices that have devices of a node, as sentences; a bounded number. */
    public synchronized List<String> problemsOn(String node) {
        return published.problemsOn(node);
    }

    /** Whether a node has devices, or shares some with others. */
    public boolean haveDevicesFor(String node) {
        return nodes.containsKey(node) || nodes.containsKey(PublishedDevices.NO_NODE);
    }

    /** The names of the nodes that have devices. */
    public SortedSet<String> nodes() {
        SortedSet<String> names = new TreeSet<>(nodes.keySet());
        names.remove(PublishedDevices.NO_NODE);
        return names;
    }

    public Optional<ResourceClaim> claim(String namespace, String name) {
        return Optional.ofNullable(claims.get(namespace + "/" + name));
    }

    /** The claims that hold a device: several of a shared one. */
    public synchronized List<ResourceClaim> allocated(DeviceId device) {
        return holders.getOrDefault(device, Collections.emptySortedSet()).stream()
                .flatMap(key -> Optional.ofNullable(claims.get(key)).stream())
                .toList();
    }

    /** The claims of a pod that are there. */
    @Override
    public List<ResourceClaim> claimsOf(PodFacts pod) {
        return claimsOf(pod, List.of());
    }

    /**
     * The claims of a pod that is described and not in the cluster.
     *
     * @param described those that would be made for it
     */
    public List<ResourceClaim> claimsOf(PodFacts pod, List<ResourceClaim> described) {
        Map<String, ResourceClaim> byName =
                described.stream().collect(Collectors.toMap(ResourceClaim::name, Function.identity(), (a, b) -> a));
        return pod.claims().names().stream()
                .flatMap(name -> Optional.ofNullable(byName.get(name)).or(() -> claim(pod.namespace(), name)).stream())
                .toList();
    }

    /** Whether all claims of a pod are made, and there. */
    public boolean know(PodFacts pod) {
        return isComplete(pod, claimsOf(pod));
    }

    /** The claim for extended resources is deleted when a bind has failed, while the pod's status has its name. */
    private static boolean isComplete(PodFacts pod, List<ResourceClaim> known) {
        Set<String> names = known.stream().map(ResourceClaim::name).collect(Collectors.toSet());
        return names.containsAll(pod.claims().byName().values());
    }

    @Override
    public boolean concern(PodFacts pod) {
        return !pod.claims().isEmpty() || !new ExtendedResourceNeeds(this, pod, claimsOf(pod)).isEmpty();
    }

    @Override
    public ClaimNeeds needs(PodFacts pod, NodeFacts node, EvaluationBudget.Part budget) {
        return needs(pod, claimsOf(pod), node, budget);
    }

    /**
     * What these claims of a pod need on a node, and its extended resources that no device plugin there has.
     *
     * @param budget the pod's part
     */
    public ClaimNeeds needs(PodFacts pod, List<ResourceClaim> known, NodeFacts node, EvaluationBudget.Part budget) {
        return new ExtendedResourceNeeds(this, pod, known).after(needs(pod, known, budget), node);
    }

    /**
     * What these claims of a pod need.
     *
     * @param budget the pod's part
     */
    public ClaimNeeds needs(PodFacts pod, List<ResourceClaim> known, EvaluationBudget.Part budget) {
        return ClaimNeeds.of(known, isComplete(pod, known), this::deviceClass, budget);
    }

    /** The devices that are allocated to the claims of a pod. */
    public List<ClaimedDevice> devicesOf(PodFacts pod) {
        return claimsOf(pod).stream().flatMap(this::devicesOf).toList();
    }

    private Stream<ClaimedDevice> devicesOf(ResourceClaim claim) {
        return claim.devices().stream().map(result -> new ClaimedDevice(claim.key(), result, device(result.device())));
    }

    public Optional<DeviceClass> deviceClass(String name) {
        return Optional.ofNullable(classes.get(name));
    }

    /** The extended resources that classes serve on nodes without a device plugin for them. */
    public SortedSet<String> served() {
        return served;
    }

    /** The class that serves an extended resource; absent: a device plugin does, or nothing. */
    public Optional<DeviceClass> classOf(String extendedResource) {
        if (extendedResource.startsWith(DeviceClass.IMPLICIT)) {
            return deviceClass(extendedResource.substring(DeviceClass.IMPLICIT.length()));
        }
        return classes.values().stream()
                .filter(each -> each.extendedResource().equals(Optional.of(extendedResource)))
                .min(DeviceClass.NEWEST);
    }

    /** The nodes where pods got devices that do not lie near their CPUs. */
    public MisalignedBinds misaligned() {
        return misaligned;
    }

    private Optional<Device> known(DeviceId id) {
        return published.device(id).or(() -> vanished.device(id));
    }

    /** A device as it is published; if no slice has it any more, as it was. */
    private synchronized Optional<Device> device(DeviceId id) {
        return known(id).map(this::located);
    }

    private Device located(Device device) {
        return device.node().map(pciNumaNodes::get).map(device::located).orElse(device);
    }

    private synchronized NodeDevices make(String node) {
        Optional<NodeDevices> made =
                nodes.computeIfPresent(node, (same, known) -> Optional.of(known.orElseGet(() -> read(node))));
        return made == null ? NodeDevices.NONE : made.orElse(NodeDevices.NONE);
    }

    private NodeDevices read(String node) {
        List<DevicePool> pools = published.poolsOf(node).stream()
                .map(pool -> new DevicePool(
                        pool.driver(),
                        pool.name(),
                        pool.complete(),
                        pool.devices().stream().map(this::located).toList(),
                        pool.counters()))
                .toList();
        List<Device> lost = vanished.on(node).stream().map(this::located).toList();
        SortedMap<DeviceId, String> held = new TreeMap<>();
        Stream.concat(pools.stream().flatMap(pool -> pool.devices().stream()), lost.stream())
                .map(Device::id)
                .filter(holders::containsKey)
                .forEach(id -> held.put(id, requireNonNull(holders.get(id)).first()));
        SortedMap<DeviceId, SortedMap<String, Long>> consumed = new TreeMap<>();
        held.keySet().forEach(id -> consumed.put(id, consumed(id)));
        consumed.values().removeIf(Map::isEmpty);
        return new NodeDevices(pools, lost, held, consumed);
    }

    /** Names without a domain have the driver's. */
    private SortedMap<String, Long> consumed(DeviceId device) {
        SortedMap<String, Long> sums = new TreeMap<>();
        allocated(device).stream()
                .flatMap(claim -> claim.devices().stream())
                .filter(result -> result.device().equals(device) && !result.adminAccess())
                .forEach(result -> result.consumed()
                        .forEach((name, amount) -> sums.merge(
                                name.contains("/") ? name : device.driver() + "/" + name,
                                amount.whole(),
                                Saturating::add)));
        return sums;
    }

    private void invalidate(String node) {
        if (published.areOn(node) || !vanished.on(node).isEmpty()) {
            nodes.put(node, Optional.empty());
        } else {
            nodes.remove(node);
        }
    }

    private void apply(Runnable event) {
        Set<String> names;
        synchronized (this) {
            event.run();
            names = changed;
            changed = new HashSet<>();
            names.forEach(this::invalidate);
        }
        names.forEach(nodeChanged);
    }

    private void vanished(Device device) {
        if (holders.containsKey(device.id())) {
            vanished.put(device);
        }
    }

    private void forget(DeviceId id) {
        vanished.remove(id).ifPresent(device -> changed.add(PublishedDevices.nodeOf(device)));
    }

    /** @param before held until now */
    private void hold(String holder, Set<DeviceId> devices, Set<DeviceId> before) {
        for (DeviceId id : devices) {
            if (holders.computeIfAbsent(id, any -> new TreeSet<>()).add(holder)) {
                reportHolder(id);
            }
        }
        before.stream().filter(id -> !devices.contains(id)).forEach(id -> release(id, holder));
    }

    private void release(DeviceId id, String holder) {
        reportHolder(id);
        SortedSet<String> keys = holders.getOrDefault(id, new TreeSet<>());
        keys.remove(holder);
        if (keys.isEmpty()) {
            holders.remove(id);
            forget(id);
        }
    }

    private void reportHolder(DeviceId id) {
        known(id).ifPresent(device -> changed.add(PublishedDevices.nodeOf(device)));
    }
}
