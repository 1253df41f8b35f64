/**
 * The compact text of resource-topology-exporter that tells which NUMA node each container uses. Placements of
 * containers come in; an attribute's value goes out.
 */
@NullMarked
package io.numaledger.nrt.numaplacement;

import org.jspecify.annotations.NullMarked;
