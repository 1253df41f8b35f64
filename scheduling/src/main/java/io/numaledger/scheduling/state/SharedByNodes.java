package io.numaledger.scheduling.state;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.budget.CostlyPods;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.SlotCache;
import io.numaledger.evaluation.snapshot.NodeSnapshotBuilder;

import java.time.InstantSource;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * What all nodes of a cluster share.
 *
 * @param classBySlot gets the class of each node on which it alone decides
 * @param builds counts snapshots
 * @param plannedPods counts those of all nodes
 * @param served the extended resources that DeviceClasses serve
 */
record SharedByNodes(
        ClaimLookup claims,
        NodeSnapshotBuilder builder,
        NodeClasses classes,
        NodeVersions versions,
        SlotCache<NodeEquivalenceClass> classBySlot,
        LongAdder builds,
        NominatedPods nominated,
        AtomicInteger plannedPods,
        NodesOfPods nodesOfPods,
        CostlyPods costlyPods,
        Supplier<SortedSet<String>> served,
        InstantSource clock) {}
