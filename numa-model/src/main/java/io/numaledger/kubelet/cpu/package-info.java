/** The kubelet's CPU Manager: which CPUs a container gets for itself alone. */
@NullMarked
package io.numaledger.kubelet.cpu;

import org.jspecify.annotations.NullMarked;
