/** A real Kubernetes on simulated hardware: control plane, kubelets in mount namespaces, and a journal of what they decided. */
@NullMarked
package io.numaledger.simulator.cluster;

import org.jspecify.annotations.NullMarked;
