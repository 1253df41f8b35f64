package io.numaledger.evaluation.snapshot;

/** Which of the free GPUs a device plugin prefers; the values of {@code --gpu-preference}. */
public enum GpuPreference {
    /** None, or it is unknown: the kubelet draws. */
    random,
    /** What the best-effort policy of go-gpuallocator chooses, as NVIDIA's device plugin does for whole GPUs. */
    gpuallocator
}
