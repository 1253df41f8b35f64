/** Simulated hardware: the YAML that describes it, and the kernel's files that show it. */
@NullMarked
package io.numaledger.simulator.hardware;

import org.jspecify.annotations.NullMarked;
