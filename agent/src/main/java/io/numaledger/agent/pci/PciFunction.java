package io.numaledger.agent.pci;

import io.numaledger.gpu.PciAddress;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One PCI function as sysfs shows it.
 *
 * @param classCode the 24 bits {@code 0xCCSSPP} of class, subclass and programming interface; 0 if unknown
 * @param vendor 16 bits, 0x10de for NVIDIA; 0 if unknown
 * @param device 16 bits; 0 if unknown
 * @param driver the name of the kernel driver that is bound to it
 * @param numaNode the NUMA node whose CPUs are near it; absent if the machine does not report it
 * @param upstream the host bridge's name, such as {@code pci0000:80}, and the bridges from there down to the function;
 *     empty when sysfs shows the function without its place in the tree
 * @param virtualFunction whether it is a virtual function of another one (SR-IOV)
 */
public record PciFunction(
        PciAddress address,
        int classCode,
        int vendor,
        int device,
        Optional<String> driver,
        OptionalInt numaNode,
        List<String> upstream,
        boolean virtualFunction) {

    public static final int NVIDIA = 0x10de;

    private static final int VGA_CONTROLLER = 0x0300;
    private static final int CONTROLLER_3D = 0x0302;
    private static final int OTHER_BRIDGE = 0x0680;

    public PciFunction {
        upstream = List.copyOf(upstream);
    }

    private int classAndSubclass() {
        return classCode >>> 8;
    }

    /** Whether it is a GPU of NVIDIA's, of data centre (3D controller) or with a display output. */
    public boolean isNvidiaGpu() {
        return vendor == NVIDIA && (classAndSubclass() == VGA_CONTROLLER || classAndSubclass() == CONTROLLER_3D);
    }

    /** Whether it is an NVSwitch: NVIDIA's bridge that is no PCI bridge, such as 22a3 on H100 and H200 boards. */
    public boolean isNvSwitch() {
        return vendor == NVIDIA && classAndSubclass() == OTHER_BRIDGE;
    }
}
