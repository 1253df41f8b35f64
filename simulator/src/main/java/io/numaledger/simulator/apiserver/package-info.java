/**
 * A Kubernetes API server in memory, for the demo and for tests: the resources that Numaledger reads and writes, with the
 * answers, conflicts and watches of a real kube-apiserver. The same test cases run against both.
 */
package io.numaledger.simulator.apiserver;
