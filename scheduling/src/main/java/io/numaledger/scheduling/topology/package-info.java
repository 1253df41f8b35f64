/**
 * Topology domains: blocks, racks and other parts of a cluster that labels of nodes name. Decides in which domains a group of pods is to run.
 * Labels, the wishes of a group and the number of pods that each node takes come in; the number of pods for each node goes out.
 */
@NullMarked
package io.numaledger.scheduling.topology;

import org.jspecify.annotations.NullMarked;
