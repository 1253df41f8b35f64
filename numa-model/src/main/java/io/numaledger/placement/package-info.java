/**
 * What pods hold on a node: CPUs, memory blocks and devices by container, and the amounts by NUMA node that follow from
 * them. The kubelet's reports come in as values of this package; placements by zone go out. The package also decides
 * how a memory block of several NUMA nodes is divided among them.
 */
@NullMarked
package io.numaledger.placement;

import org.jspecify.annotations.NullMarked;
