/** Calls to gRPC servers on unix sockets. */
@NullMarked
package io.numaledger.simulator.socket;

import org.jspecify.annotations.NullMarked;
