/** The entry point of the simulator: creates its commands and nothing else. */
@NullMarked
package io.numaledger.simulator;

import org.jspecify.annotations.NullMarked;
