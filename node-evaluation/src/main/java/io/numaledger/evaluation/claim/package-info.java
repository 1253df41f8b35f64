/**
 * Devices of Dynamic Resource Allocation as values: what drivers publish, what claims request and hold, and on which NUMA nodes it lies.
 * Values of the reader and placements come in; devices of a node and verdicts about a pod's claims go out. The kubelet aligns none of it.
 */
@NullMarked
package io.numaledger.evaluation.claim;

import org.jspecify.annotations.NullMarked;
