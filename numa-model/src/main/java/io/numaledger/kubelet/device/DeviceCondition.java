package io.numaledger.kubelet.device;

import io.numaledger.kubelet.hint.MaskCondition;
import io.numaledger.topology.AffinityMask;

/** At least so many devices have a NUMA node in the mask. */
record DeviceCondition(DeviceCounts devices, int need) implements MaskCondition {

    @Override
    public boolean holds(AffinityMask mask) {
        return devices.touching(mask) >= need;
    }

    @Override
    public boolean canHold(AffinityMask chosen, AffinityMask open, int count) {
        int sum = devices.touching(chosen);
        int most = count == 0 ? 0 : devices.touching(chosen.or(open)) - sum;
        if (sum + most < need || count == 0) {
            return sum + most >= need;
        }
        int[] own = open.ids()
                .map(id -> devices.touching(AffinityMask.of(id)))
                .sorted()
                .toArray();
        for (int i = own.length - 1; i >= Math.max(0, own.length - count); i--) {
            sum += own[i];
        }
        return sum >= need;
    }

    @Override
    public boolean ignores(int numaNode) {
        return devices.touching(AffinityMask.of(numaNode)) == 0;
    }

    @Override
    public boolean treatsAlike(int numaNode, int other) {
        return devices.treatsAlike(numaNode, other);
    }

    /** A device of several NUMA nodes may be lost only with the last of them. */
    @Override
    public int mostWithout(AffinityMask mask, AffinityMask open) {
        return open.count();
    }
}
