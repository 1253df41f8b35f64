package io.numaledger.kubelet.memory;

import io.numaledger.kubelet.hint.AmountCondition;
import io.numaledger.kubelet.hint.AmountsByNumaNode;
import io.numaledger.kubelet.hint.KubeletFailureException;
import io.numaledger.kubelet.hint.KubeletFailureException.Kind;
import io.numaledger.kubelet.hint.MaskCondition;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;

/** The free memory of the NUMA nodes for a request, in a layout for queries by mask. */
final class MemoryTable {

    private record TypeRequest(String type, long bytes, AmountsByNumaNode allocatable, AmountsByNumaNode free) {}

    private final List<TypeRequest> types = new ArrayList<>();
    private final NumaMemory[] nodes = new NumaMemory[AffinityMask.MAX_ID + 1];
    private final ReusableMemory reusable;

    /** @throws KubeletFailureException naming a type that a node does not know */
    MemoryTable(MemoryState state, SortedMap<String, Long> request) {
        this.reusable = state.reusable();
        state.nodes().forEach((id, node) -> nodes[id] = node);
        request.forEach((type, bytes) -> {
            TypeRequest typeRequest = new TypeRequest(type, bytes, new AmountsByNumaNode(), new AmountsByNumaNode());
            state.nodes().forEach((id, node) -> {
                Long free = node.free().get(type);
                if (free == null) {
                    throw unknown(type, id);
                }
                typeRequest
                        .allocatable()
                        .put(id, requireNonNull(node.allocatable().get(type)));
                typeRequest.free().put(id, free);
            });
            types.add(typeRequest);
        });
    }

    private static KubeletFailureException unknown(String type, int numaNode) {
        return new KubeletFailureException(
                Kind.PANIC,
                "the kubelet has no table for this type of memory and panics: type=%s numaNode=%d; ask for a size of hugepages that the node has"
                        .formatted(type, numaNode));
    }

    boolean allocatableSuffices(AffinityMask mask) {
        for (TypeRequest typeRequest : types) {
            if (Long.compareUnsigned(typeRequest.allocatable().over(mask), typeRequest.bytes()) < 0) {
                return false;
            }
        }
        return true;
    }

    /** {@link #allocatableSuffices} as conditions. */
    List<MaskCondition> allocatableConditions(AffinityMask numaNodes) {
        return conditions(numaNodes, TypeRequest::allocatable);
    }

    /** {@link #freeSuffices} as conditions, without reusable memory. */
    List<MaskCondition> freeConditions(AffinityMask numaNodes) {
        return conditions(numaNodes, TypeRequest::free);
    }

    private List<MaskCondition> conditions(AffinityMask numaNodes, Function<TypeRequest, AmountsByNumaNode> amounts) {
        return types.stream()
                .<MaskCondition>map(type -> new AmountCondition(numaNodes, amounts.apply(type), type.bytes()))
                .toList();
    }

    boolean freeSuffices(AffinityMask mask) {
        for (TypeRequest typeRequest : types) {
            long free = typeRequest.free().over(mask) + reusable.of(mask, typeRequest.type());
            if (Long.compareUnsigned(free, typeRequest.bytes()) < 0) {
                return false;
            }
        }
        return true;
    }

    /** A mask of one node may not be part of a group. A mask of several nodes may contain only unused nodes, or exactly one existing group. */
    boolean breaksGroup(AffinityMask mask) {
        boolean alone = mask.count() == 1;
        for (long rest = mask.bits(); rest != 0; rest &= rest - 1) {
            NumaMemory node = nodes[Long.numberOfTrailingZeros(rest)];
            boolean breaks = alone ? node.cells().count() > 1 : node.breaks(mask);
            if (breaks) {
                return true;
            }
        }
        return false;
    }
}
