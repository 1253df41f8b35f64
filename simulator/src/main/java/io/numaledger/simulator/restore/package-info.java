/**
 * Starts a real kubelet over what the pods of a recorded node held. A recording comes in; the kubelet's state files, and pods that hold what
 * was recorded, go out.
 */
@NullMarked
package io.numaledger.simulator.restore;

import org.jspecify.annotations.NullMarked;
