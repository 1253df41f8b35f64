package io.numaledger.gpu;

/**
 * A choice of GPUs.
 *
 * @param links the sum of their links over all pairs
 * @param provenBest whether no other choice can have more links; false only for a bounded search over more than
 *     {@link LinkedSetSearch#EXACT_LIMIT} usable GPUs
 */
public record LinkedSet(GpuSet gpus, long links, boolean provenBest) {}
