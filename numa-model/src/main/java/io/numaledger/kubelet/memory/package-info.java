/** The kubelet's Memory Manager: from which NUMA nodes a container's memory and hugepages come. */
@NullMarked
package io.numaledger.kubelet.memory;

import org.jspecify.annotations.NullMarked;
