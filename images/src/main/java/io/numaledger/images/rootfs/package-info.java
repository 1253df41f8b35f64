/**
 * Makes and runs root file systems. {@code rootfs.sh} builds a program's root file system from this build's jars and a JDK;
 * {@link io.numaledger.images.rootfs.TrainAgentCommand} and {@link io.numaledger.images.rootfs.TrainBridgeCommand} add the
 * archive of the classes that the program uses. {@link io.numaledger.images.rootfs.ContainedProgram} runs the result by
 * chroot, read-only, as a container would.
 */
@NullMarked
package io.numaledger.images.rootfs;

import org.jspecify.annotations.NullMarked;
