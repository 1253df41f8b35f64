package io.numaledger.gpu;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntBinaryOperator;

/** gpuallocator/besteffort_policy.go in NVIDIA/go-gpuallocator step by step, for devices in one order and known scores of pairs. */
final class BestEffortPolicy {

    private static final int PADDING = -1;

    private final int size;
    private final IntBinaryOperator pairScore;
    private List<List<Integer>> best = List.of();

    private BestEffortPolicy(int size, IntBinaryOperator pairScore) {
        this.size = size;
        this.pairScore = pairScore;
    }

    /** What the policy returns; a set of fewer GPUs stands for one with padding. */
    static GpuSet allocate(List<Integer> available, int size, IntBinaryOperator pairScore) {
        BestEffortPolicy policy = new BestEffortPolicy(size, pairScore);
        List<Integer> devices = new ArrayList<>(available);
        while (devices.size() % size != 0) {
            devices.add(PADDING);
        }
        policy.partition(devices, List.of(), Collections.frequency(devices, PADDING));
        List<Integer> set = policy.best.get(0);
        for (List<Integer> other : policy.best) {
            set = policy.score(other) > policy.score(set) ? other : set;
        }
        return GpuSet.of(set.stream().filter(gpu -> gpu != PADDING).toList());
    }

    private void partition(List<Integer> devices, List<List<Integer>> sets, int padding) {
        if (devices.size() == size) {
            compare(with(sets, devices));
            return;
        }
        combinations(devices.subList(1, devices.size()), size - 1, List.of(), others -> {
            List<Integer> set = with(others, devices.get(0));
            int padded = Collections.frequency(set, PADDING);
            if (padded == 0 || padded == padding) {
                List<Integer> remaining = new ArrayList<>(devices);
                remaining.removeAll(set);
                partition(remaining, with(sets, set), padding);
            }
        });
    }

    private void compare(List<List<Integer>> sets) {
        if (best.isEmpty() || total(sets) > total(best)) {
            best = sets;
        }
    }

    private long total(List<List<Integer>> sets) {
        return sets.stream().mapToLong(this::score).sum();
    }

    private long score(List<Integer> set) {
        long score = 0;
        for (int first : set) {
            for (int second : set) {
                score += first < second && first != PADDING ? pairScore.applyAsInt(first, second) : 0;
            }
        }
        return score;
    }

    private static void combinations(
            List<Integer> from, int count, List<Integer> chosen, Consumer<List<Integer>> visitor) {
        if (count == 0) {
            visitor.accept(chosen);
            return;
        }
        for (int at = 0; at <= from.size() - count; at++) {
            combinations(from.subList(at + 1, from.size()), count - 1, with(chosen, from.get(at)), visitor);
        }
    }

    private static <T> List<T> with(List<T> list, T last) {
        List<T> more = new ArrayList<>(list);
        more.add(last);
        return more;
    }
}
