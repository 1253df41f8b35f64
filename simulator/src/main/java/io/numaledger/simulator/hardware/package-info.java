/** Simulated hardware: the YAML that describes it, and the kernel's files that show it. */
package io.numaledger.simulator.hardware;
