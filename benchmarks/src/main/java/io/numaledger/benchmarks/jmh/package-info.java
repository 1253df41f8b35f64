/** JMH classes for single algorithms of the core, and the command that runs them. JMH sets the fields of its states, so the package is not null-marked. */
package io.numaledger.benchmarks.jmh;
