/** The kubelet's Device Manager: which devices of the device plugins a container gets. */
package io.numaledger.kubelet.device;
