/**
 * The health of the agent: the endpoints {@code /healthz}, {@code /readyz} and {@code /metrics}, and the conditions of
 * the agent's own pod. The results of reconciliations come in; answers to probes go out.
 */
@NullMarked
package io.numaledger.agent.health;

import org.jspecify.annotations.NullMarked;
