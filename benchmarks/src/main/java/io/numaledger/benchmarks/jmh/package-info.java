/** JMH classes for single algorithms of the core, and the command that runs them. */
package io.numaledger.benchmarks.jmh;
