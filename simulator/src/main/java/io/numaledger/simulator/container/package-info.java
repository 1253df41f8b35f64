/**
 * Containers that run: an image's root file system, the user, the mounts, the arguments and the environment that a kubelet asks for,
 * and a network that connects pods and Services. Needs root. Nothing is left when the cluster's process ends.
 */
@NullMarked
package io.numaledger.simulator.container;

import org.jspecify.annotations.NullMarked;
