/** The kubelet's Device Manager: which devices of the device plugins a container gets. */
@NullMarked
package io.numaledger.kubelet.device;

import org.jspecify.annotations.NullMarked;
