/**
 * The compact text of resource-topology-exporter with the NUMA node of each container. Placements of
 * containers come in; an attribute's value goes out.
 */
@NullMarked
package io.numaledger.nrt.numaplacement;

import org.jspecify.annotations.NullMarked;
