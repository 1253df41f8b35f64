/**
 * The NUMA topology of a machine from sysfs and procfs. Decides what to publish where files are missing or contradict
 * each other. Directories come in; a topology with warnings goes out.
 */
@NullMarked
package io.numaledger.agent.sysfs;

import org.jspecify.annotations.NullMarked;
