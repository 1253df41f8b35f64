/**
 * The state of the cluster: nodes, pods, and what is reserved for pods in flight. Events of the API server come in, in
 * any order; snapshots of nodes go out, built when they are needed. Binds are reserved and ordered here.
 */
@NullMarked
package io.numaledger.bridge.state;

import org.jspecify.annotations.NullMarked;
