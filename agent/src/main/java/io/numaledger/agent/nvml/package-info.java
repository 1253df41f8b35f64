/**
 * GPUs as NVIDIA's management library reports them, called through JNA. Decides what to do where a driver knows a call
 * only in an older version, or where one GPU fails. A report on all GPUs goes out.
 */
@NullMarked
package io.numaledger.agent.nvml;

import org.jspecify.annotations.NullMarked;
