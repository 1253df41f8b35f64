/**
 * GPUs as NVIDIA's management library reports them. {@link io.numaledger.agent.nvml.NvmlProbe} starts the process
 * {@link io.numaledger.agent.nvml.NvmlMain}, which calls the library through JNA. Decides what to do where a driver knows a call only in an
 * older version, where one GPU fails, or where the library ends its process. A report on all GPUs goes out.
 */
@NullMarked
package io.numaledger.agent.nvml;

import org.jspecify.annotations.NullMarked;
