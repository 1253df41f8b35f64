package io.numaledger.scheduling.rehearsal;

import io.numaledger.scheduling.rehearsal.TentativeCluster.Placed;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Which pending pods would run with more nodes. */
public final class AddRehearsal {

    /** The most nodes that are added. */
    public static final int MOST = 1000;

    private AddRehearsal() {}

    /**
     * The pending pods with more nodes.
     *
     * @param fitting those that fit the nodes that there are
     * @param added those that fit only new ones; the first of these is {@code NODE+1}
     * @param waiting those that fit none
     * @param needed how many new nodes they use
     */
    public record Result(List<RehearsedPod> fitting, List<RehearsedPod> added, List<RehearsedPod> waiting, int needed) {

        public Result {
            fitting = List.copyOf(fitting);
            added = List.copyOf(added);
            waiting = List.copyOf(waiting);
        }
    }

    /**
     * Adds nodes like one, empty but for the pods of its DaemonSets. A new node is used only when the ones before take no pod.
     *
     * @param most how many, {@link #MOST} at most
     */
    public static Result of(RehearsedCluster cluster, String like, int most) {
        TentativeCluster tentative = cluster.tentative(new HashSet<>());
        RehearsedNode empty = tentative
                .node(like)
                .like(
                        like,
                        tentative.pods(like).stream()
                                .filter(pod -> !cluster.origin(pod).isOfDaemonSet() && !pod.isStatic())
                                .toList());
        List<RehearsedPod> fitting = new ArrayList<>();
        List<RehearsedPod> waiting = new ArrayList<>();
        place(
                tentative,
                cluster.pending().stream()
                        .map(pod -> RehearsedPod.of(pod, "", Fate.PENDING, ""))
                        .toList(),
                fitting,
                waiting);
        Set<String> used = new TreeSet<>();
        List<RehearsedPod> added = new ArrayList<>();
        for (int i = 1; i <= most && !waiting.isEmpty(); i++) {
            tentative.put(empty.like("%s+%d".formatted(like, i), List.of()));
            List<RehearsedPod> left = new ArrayList<>();
            int before = added.size();
            place(tentative, waiting, added, left);
            waiting = left;
            if (added.size() == before) {
                break; // a further one takes no more
            }
        }
        added.forEach(pod -> pod.target().ifPresent(used::add));
        return new Result(fitting, added, waiting, used.size());
    }

    private static void place(
            TentativeCluster tentative, List<RehearsedPod> pods, List<RehearsedPod> taken, List<RehearsedPod> refused) {
        for (RehearsedPod pod : pods) {
            Placed found = tentative.place(pod.pod());
            RehearsedPod now = RehearsedPod.of(pod.pod(), "", Fate.PENDING, "").placed(found);
            (found.node().isPresent() ? taken : refused).add(now);
        }
    }
}
