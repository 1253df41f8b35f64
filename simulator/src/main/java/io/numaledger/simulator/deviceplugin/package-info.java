/** A device plugin that announces simulated devices to a kubelet. */
package io.numaledger.simulator.deviceplugin;
