/**
 * PCI devices from sysfs: their functions, their NUMA nodes, the distance between two of them, and the RDMA NICs among
 * them.
 */
@NullMarked
package io.numaledger.agent.pci;

import org.jspecify.annotations.NullMarked;
