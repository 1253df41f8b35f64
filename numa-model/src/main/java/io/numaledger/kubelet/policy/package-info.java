/** The Topology Manager's policies: which merged hint is good enough to admit. */
package io.numaledger.kubelet.policy;
