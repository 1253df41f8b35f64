/** Measures the agent on a real kubelet: what it costs while nothing happens, and how soon it publishes what happens. */
package io.numaledger.simulator.footprint;
