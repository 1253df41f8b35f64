/** A TCP proxy between a program and its server that injects faults of the network. */
@NullMarked
package io.numaledger.simulator.proxy;

import org.jspecify.annotations.NullMarked;
