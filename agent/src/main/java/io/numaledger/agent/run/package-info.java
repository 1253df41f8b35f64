/**
 * The agent's main loop. Decides when to reconcile, and in which order a reconciliation observes, compares and writes.
 * Events of the API server and of the kubelet's socket come in; writes go out through the ports of nrt-publisher and
 * placement-annotator.
 */
@NullMarked
package io.numaledger.agent.run;

import org.jspecify.annotations.NullMarked;
