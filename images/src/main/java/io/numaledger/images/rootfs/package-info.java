/**
 * Makes and runs root file systems. {@code rootfs.sh} builds the agent's root file system from this build's jars and a JDK;
 * {@link io.numaledger.images.rootfs.TrainAgentCommand} adds the archive of the classes that the agent uses.
 * {@link io.numaledger.images.rootfs.ContainedAgent} runs the result by chroot, read-only, as a container would.
 */
@NullMarked
package io.numaledger.images.rootfs;

import org.jspecify.annotations.NullMarked;
