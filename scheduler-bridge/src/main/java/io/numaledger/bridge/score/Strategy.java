package io.numaledger.bridge.score;

import io.numaledger.placement.Amounts;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** What makes one placement better than another inside its zones; scores from 0 to 100. */
public enum Strategy {
    /** The fewest zones. */
    LeastNUMANodes {
        @Override
        long zone(SortedMap<String, Long> free, Amounts taken) {
            return 100;
        }
    },
    /** Zones with the most left afterwards. */
    LeastAllocated {
        @Override
        long zone(SortedMap<String, Long> free, Amounts taken) {
            return mean(free, taken, (available, request) -> (available - request) * 100 / available);
        }
    },
    /** Zones with the least left afterwards. */
    MostAllocated {
        @Override
        long zone(SortedMap<String, Long> free, Amounts taken) {
            return mean(free, taken, (available, request) -> request * 100 / available);
        }
    },
    /** Zones from which all resources go in equal parts: 100 less the largest difference between two parts, in percent. */
    BalancedAllocation {
        @Override
        long zone(SortedMap<String, Long> free, Amounts taken) {
            List<Long> parts = taken.byResource().entrySet().stream()
                    .map(amount -> part(free, amount))
                    .sorted()
                    .toList();
            return parts.isEmpty() ? 100 : 100 - (parts.get(parts.size() - 1) - parts.get(0));
        }
    };

    private interface Part {
        long of(long available, long request);
    }

    private static final int UNIT_SHIFT = 20;

    /** A zone's score, from what was free there and what the pod takes. */
    abstract long zone(SortedMap<String, Long> free, Amounts taken);

    private static long part(SortedMap<String, Long> free, Map.Entry<String, Long> amount) {
        long available = scaled(free.getOrDefault(amount.getKey(), 0L));
        return available == 0 ? 100 : Math.min(100, scaled(amount.getValue()) * 100 / available);
    }

    private static long mean(SortedMap<String, Long> free, Amounts taken, Part part) {
        long sum = 0;
        for (var amount : taken.byResource().entrySet()) {
            long available = scaled(free.getOrDefault(amount.getKey(), 0L));
            long request = scaled(amount.getValue());
            sum += available == 0 || request > available ? 0 : part.of(available, request);
        }
        return taken.isEmpty() ? 100 : sum / taken.byResource().size();
    }

    /** Bytes of terabytes times 100 would still fit; exabytes would not. */
    private static long scaled(long amount) {
        return amount > Long.MAX_VALUE / 128 ? amount >> UNIT_SHIFT : amount;
    }
}
