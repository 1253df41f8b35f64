/**
 * The demo: simulated nodes with an agent each, a dozen pods, and a report of what became of them. It starts the nodes on a
 * real API server if binaries are given, else on the embedded one, and reads its report back from the API server.
 */
@NullMarked
package io.numaledger.simulator.demo;

import org.jspecify.annotations.NullMarked;
