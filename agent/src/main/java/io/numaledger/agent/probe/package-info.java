/** The command {@code agent probe}: prints this machine's NUMA topology as a table or as JSON. */
@NullMarked
package io.numaledger.agent.probe;

import org.jspecify.annotations.NullMarked;
