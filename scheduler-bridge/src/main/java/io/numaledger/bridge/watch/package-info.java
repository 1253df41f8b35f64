/**
 * The API server's side of the bridge: watches objects, writes bindings, events and pod conditions. Objects go from
 * here into the cluster state; decisions come back to be written.
 */
@NullMarked
package io.numaledger.bridge.watch;

import org.jspecify.annotations.NullMarked;
