package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.NamespaceDefaults;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The pods as the watch shows them, by key, and the groups to which they belong. Thread-safe; events change it one after the other. */
public final class ShownPods {

    private final Map<String, PodFacts> byKey = new ConcurrentHashMap<>();
    private final GroupMembers groups = new GroupMembers();
    private final NamespaceDefaults namespaceDefaults;

    ShownPods(NamespaceDefaults namespaceDefaults) {
        this.namespaceDefaults = namespaceDefaults;
    }

    /** Returns what was known of a pod of this name. */
    Optional<PodFacts> put(PodFacts pod) {
        Optional<PodFacts> before = Optional.ofNullable(byKey.put(pod.key(), pod));
        before.filter(known -> !known.group().equals(pod.group())).ifPresent(groups::remove);
        groups.put(pod);
        return before;
    }

    void remove(PodFacts pod) {
        byKey.computeIfPresent(pod.key(), (key, known) -> known.isSameAs(pod) ? null : known);
        if (!byKey.containsKey(pod.key())) {
            groups.remove(pod);
        }
    }

    /** The last that was seen of a pod, bound or not. */
    public Optional<PodFacts> get(String key) {
        return Optional.ofNullable(byKey.get(key));
    }

    /** The pod as the watch shows it; as given, with the defaults of its namespace, if the watch does not show it, or shows it bound. */
    public PodFacts known(PodFacts pod) {
        return get(pod.key())
                .filter(pod::isSameAs)
                .filter(shown -> shown.node().isEmpty())
                .orElseGet(() -> namespaceDefaults.apply(pod));
    }

    /** All pods, in no order. */
    public Collection<PodFacts> all() {
        return Collections.unmodifiableCollection(byKey.values());
    }

    public int count() {
        return byKey.size();
    }

    /** The pods without a node, the oldest first. */
    public List<PodFacts> unbound() {
        return byKey.values().stream()
                .filter(pod -> pod.node().isEmpty() && !pod.terminating() && !pod.ended())
                .sorted(PodFacts.BY_AGE)
                .toList();
    }

    /** Whether the watch still shows a pod as unbound, or does not show it at all, that is bound. */
    public boolean isUnbound(PodFacts bound) {
        Optional<PodFacts> shown = get(bound.key());
        return shown.isEmpty()
                || (shown.get().isSameAs(bound) && shown.get().node().isEmpty());
    }

    /** Whether the watch shows this pod. */
    public boolean shows(PodFacts pod) {
        return get(pod.key()).filter(pod::isSameAs).isPresent();
    }

    /** Whether a pod has ended or is terminating, or the watch does not show it. */
    boolean ends(PodFacts pod) {
        return get(pod.key())
                .filter(now -> now.isSameAs(pod) && !now.terminating() && !now.ended())
                .isEmpty();
    }

    /** The pods of a group that have not ended and are not terminating, the oldest first. */
    public List<PodFacts> ofGroup(PodGroupName group) {
        return members(group)
                .filter(pod -> !pod.terminating() && !pod.ended())
                .sorted(PodFacts.BY_AGE)
                .toList();
    }

    /** The pods of a group that have ended. */
    public List<PodFacts> endedOfGroup(PodGroupName group) {
        return members(group).filter(PodFacts::ended).toList();
    }

    private Stream<PodFacts> members(PodGroupName group) {
        return groups.of(group).stream()
                .map(this::get)
                .flatMap(Optional::stream)
                .filter(pod -> pod.group().group().equals(Optional.of(group)));
    }

    /** The groups of which a pod has, or had, the gate of groups. */
    public Set<PodGroupName> gatedGroups() {
        return groups.gated();
    }

    /** All groups that have pods. */
    public Set<PodGroupName> groups() {
        return groups.all();
    }
}
