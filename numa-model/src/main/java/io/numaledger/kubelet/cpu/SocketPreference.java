package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.hint.MaskPreference;
import io.numaledger.topology.AffinityMask;

import java.util.BitSet;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * With {@code align-by-socket}, masks over as few sockets as the request needs are preferred too, whatever their width
 * (cm/cpumanager/policy_static.go, isHintSocketAligned).
 *
 * @param socketsByNumaNode by NUMA node id
 * @param width preferred in any case
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SocketPreference(BitSet[] socketsByNumaNode, int width, Predicate<AffinityMask> isAligned)
        implements MaskPreference {

    @Override
    public boolean prefers(AffinityMask mask) {
        return mask.count() == width || isAligned.test(mask);
    }

    @Override
    public OptionalInt onlyWidth() {
        return OptionalInt.empty();
    }

    @Override
    public boolean treatsAlike(int numaNode, int other) {
        return Objects.equals(socketsByNumaNode[numaNode], socketsByNumaNode[other]);
    }
}
