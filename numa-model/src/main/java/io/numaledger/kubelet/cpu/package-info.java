/** The kubelet's CPU Manager: which CPUs a container gets for itself alone. */
package io.numaledger.kubelet.cpu;
