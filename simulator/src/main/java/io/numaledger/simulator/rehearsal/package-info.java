/** Changes of a running cluster by other commands: restarts, failed devices, late device plugins, further images. */
@NullMarked
package io.numaledger.simulator.rehearsal;

import org.jspecify.annotations.NullMarked;
