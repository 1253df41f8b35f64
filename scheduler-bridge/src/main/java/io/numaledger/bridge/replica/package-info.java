/** Several replicas of the bridge: one of them binds, all of them answer. */
@NullMarked
package io.numaledger.bridge.replica;

import org.jspecify.annotations.NullMarked;
