/**
 * Records a real node as an archive that can be simulated and replayed elsewhere. The node's sysfs, the kubelet's configuration and
 * state files, its devices and one pod come in; an archive with node YAML and a scenario goes out.
 */
@NullMarked
package io.numaledger.simulator.record;

import org.jspecify.annotations.NullMarked;
