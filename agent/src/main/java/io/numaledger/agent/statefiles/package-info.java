/**
 * The kubelet's state files: the CPU Manager's state, the Memory Manager's state and the Device Manager's checkpoint.
 * They are the only source of what finished init containers keep. Files come in; allocations by pod and container go
 * out.
 */
@NullMarked
package io.numaledger.agent.statefiles;

import org.jspecify.annotations.NullMarked;
