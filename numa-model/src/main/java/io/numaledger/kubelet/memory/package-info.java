/** The kubelet's Memory Manager: from which NUMA nodes a container's memory and hugepages come. */
package io.numaledger.kubelet.memory;
