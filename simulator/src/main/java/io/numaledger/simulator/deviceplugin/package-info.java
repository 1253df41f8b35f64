/** A device plugin that announces simulated devices to a kubelet. */
@NullMarked
package io.numaledger.simulator.deviceplugin;

import org.jspecify.annotations.NullMarked;
