/** The class archive of the agent's root file system. */
package io.numaledger.simulator.rootfs;
