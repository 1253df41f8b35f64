/**
 * The GPUs of a machine as sysfs and the NVIDIA driver report them, joined by PCI address, with their links and the
 * nearest NICs. The command {@code agent probe --gpus} prints them or picks a set of them.
 */
@NullMarked
package io.numaledger.agent.gpu;

import org.jspecify.annotations.NullMarked;
