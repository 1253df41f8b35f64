/**
 * Measures the bridge over a large generated cluster ({@code io.numaledger.simulator.fleet}): time to ready, heap, and the latency of filter
 * and prioritize while pods come and go. The bridge runs as a process of its own.
 */
@NullMarked
package io.numaledger.benchmarks.fleet;

import org.jspecify.annotations.NullMarked;
