package io.numaledger.kubelet.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What the kubelet draws in one admission, where it takes some of several equally good devices: which device of a NUMA node is taken
 * decides nothing, how many are taken from each does. The first admission takes the lowest ids everywhere, and {@link #next} names
 * another draw until there is none. Not thread-safe.
 */
public final class DeviceDraws {

    /** How many results of one draw are told apart. */
    private static final int MAX_RESULTS = 16;

    private final List<Integer> chosen;
    private final List<Integer> results = new ArrayList<>();
    private boolean complete = true;

    private DeviceDraws(List<Integer> chosen) {
        this.chosen = chosen;
    }

    /** The lowest ids everywhere. */
    public static DeviceDraws lowest() {
        return new DeviceDraws(List.of());
    }

    /** The draws of another admission of the same pod in the same state, after the one that used these; absent after the last. */
    public Optional<DeviceDraws> next() {
        for (int last = results.size() - 1; last >= 0; last--) {
            int now = chosen(last);
            if (now + 1 < results.get(last)) {
                List<Integer> changed = new ArrayList<>();
                for (int draw = 0; draw < last; draw++) {
                    changed.add(chosen(draw));
                }
                changed.add(now + 1);
                return Optional.of(new DeviceDraws(changed));
            }
        }
        return Optional.empty();
    }

    /** Whether all results of each draw are told apart; otherwise the kubelet may draw others. */
    public boolean isComplete() {
        return complete;
    }

    private int chosen(int draw) {
        return draw < chosen.size() ? chosen.get(draw) : 0;
    }

    /**
     * The devices of the next draw.
     *
     * @param byMask NUMA nodes → the ids to choose from, sorted
     * @param count how many are drawn, fewer than there are
     */
    List<String> draw(SortedMap<Long, List<String>> byMask, int count) {
        List<List<String>> possible = new ArrayList<>();
        List<String> lowest = byMask.values().stream()
                .flatMap(List::stream)
                .sorted()
                .limit(count)
                .toList();
        possible.add(lowest);
        addOthers(new ArrayList<>(byMask.values()), 0, count, new ArrayList<>(), possible, counts(byMask, lowest));
        if (possible.size() > MAX_RESULTS) {
            complete = false;
            possible.subList(MAX_RESULTS, possible.size()).clear();
        }
        results.add(possible.size());
        return possible.get(chosen(results.size() - 1));
    }

    private static List<Integer> counts(SortedMap<Long, List<String>> byMask, List<String> ids) {
        return byMask.values().stream()
                .map(there -> (int) there.stream().filter(ids::contains).count())
                .toList();
    }

    /** Adds the ways to take so many devices from the groups, apart from one, until there are more than are told apart. */
    private static void addOthers(
            List<List<String>> groups,
            int at,
            int count,
            List<Integer> taken,
            List<List<String>> possible,
            List<Integer> known) {
        if (possible.size() > MAX_RESULTS) {
            return;
        }
        if (at == groups.size()) {
            if (count == 0 && !taken.equals(known)) {
                List<String> ids = new ArrayList<>();
                for (int group = 0; group < at; group++) {
                    ids.addAll(groups.get(group).subList(0, taken.get(group)));
                }
                possible.add(ids);
            }
            return;
        }
        int later = groups.subList(at + 1, groups.size()).stream()
                .mapToInt(List::size)
                .sum();
        for (int here = Math.min(count, groups.get(at).size()); here >= Math.max(0, count - later); here--) {
            taken.add(here);
            addOthers(groups, at + 1, count - here, taken, possible, known);
            taken.remove(taken.size() - 1);
        }
    }
}
