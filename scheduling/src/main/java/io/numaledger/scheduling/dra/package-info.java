/**
 * The devices and claims of Dynamic Resource Allocation in a cluster. Events of slices, claims and classes come in; the devices of a node,
 * and those of a pod, go out.
 */
@NullMarked
package io.numaledger.scheduling.dra;

import org.jspecify.annotations.NullMarked;
