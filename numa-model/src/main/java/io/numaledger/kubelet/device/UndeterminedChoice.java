package io.numaledger.kubelet.device;

/**
 * A choice that the kubelet makes at random: equally good devices lie on different NUMA nodes, and the plugin has no preference.
 * The model takes the lowest ids; the kubelet may take others.
 *
 * @param chosen the number of devices that are chosen
 * @param from the number of devices to choose from
 */
public record UndeterminedChoice(String pod, String container, String resource, int chosen, int from) {}
