/** A TCP proxy between a program and its server that injects faults of the network. */
package io.numaledger.simulator.proxy;
