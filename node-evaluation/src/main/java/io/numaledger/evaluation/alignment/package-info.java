/**
 * The alignment that a pod demands of the devices of its claims with its CPUs and memory. Decides whether the free devices of a node allow
 * it, and which of them kube-scheduler would allocate. Claims, devices and placements come in; violations go out as sentences.
 */
@NullMarked
package io.numaledger.evaluation.alignment;

import org.jspecify.annotations.NullMarked;
