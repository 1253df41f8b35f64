/**
 * Measures the agent on a real kubelet: memory, CPU and requests while nothing happens, and how soon it publishes what happens. A
 * number of pods and, optionally, a root file system come in; a table of figures goes out.
 */
@NullMarked
package io.numaledger.benchmarks.footprint;

import org.jspecify.annotations.NullMarked;
