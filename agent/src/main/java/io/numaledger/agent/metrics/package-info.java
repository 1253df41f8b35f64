/**
 * The metrics of the agent. Events of reconciliations, of API requests and of calls to the kubelet come in; the
 * Prometheus text format goes out. {@code docs/reference/metrics.md} lists them.
 */
@NullMarked
package io.numaledger.agent.metrics;

import org.jspecify.annotations.NullMarked;
