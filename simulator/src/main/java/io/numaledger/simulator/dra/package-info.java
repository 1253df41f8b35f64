/** A DRA driver: it publishes simulated devices in ResourceSlices, and prepares claims for a kubelet. */
@NullMarked
package io.numaledger.simulator.dra;

import org.jspecify.annotations.NullMarked;
