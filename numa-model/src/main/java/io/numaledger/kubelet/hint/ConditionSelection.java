package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.List;

/**
 * Masks that satisfy all conditions and that all preferences prefer.
 *
 * @param required NUMA nodes that each mask contains
 */
record ConditionSelection(AffinityMask required, List<MaskCondition> conditions, List<MaskPreference> preferences)
        implements MaskSelection {

    @Override
    public boolean accepts(AffinityMask mask) {
        return mask.containsAll(required)
                && conditions.stream().allMatch(condition -> condition.holds(mask))
                && preferences.stream().allMatch(preference -> preference.prefers(mask));
    }

    @Override
    public boolean canComplete(AffinityMask chosen, AffinityMask open, int count) {
        AffinityMask missing = new AffinityMask(required.bits() & ~chosen.bits());
        if (!open.containsAll(missing) || missing.count() > count) {
            return false;
        }
        for (MaskCondition condition : conditions) {
            if (!condition.canHold(chosen, open, count)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean treatsAlike(int numaNode, int other) {
        return required.contains(numaNode) == required.contains(other)
                && conditions.stream().allMatch(condition -> condition.treatsAlike(numaNode, other))
                && preferences.stream().allMatch(preference -> preference.treatsAlike(numaNode, other));
    }
}
