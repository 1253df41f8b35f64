/**
 * Our programs on a cluster of real kubelets: an agent for each node, and a bridge that kube-scheduler calls. A cluster and its
 * binaries come in; a running system that tests and benchmarks can ask goes out.
 */
@NullMarked
package io.numaledger.simulator.deployment;

import org.jspecify.annotations.NullMarked;
