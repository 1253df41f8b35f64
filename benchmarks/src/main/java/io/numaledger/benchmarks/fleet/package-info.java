/**
 * Measures the bridge over a large generated cluster: time to ready, heap, and the latency of filter and prioritize while pods
 * come and go. The fleet's nodes and pods are generated with the kubelet model and published as agents publish them; a small API
 * server hands them to a bridge that runs as a process of its own.
 */
@NullMarked
package io.numaledger.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
