package io.numaledger.kubelet.device;

/**
 * A choice that the kubelet leaves to chance: devices that it holds for equally good lie on different NUMA nodes, and the
 * plugin has no preference. The model takes the lowest ids; the kubelet may have taken others.
 *
 * @param drawn how many devices are drawn
 * @param candidates from how many
 */
public record OpenDraw(String pod, String container, String resource, int drawn, int candidates) {}
