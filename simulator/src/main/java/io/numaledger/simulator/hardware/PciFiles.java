package io.numaledger.simulator.hardware;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static io.numaledger.simulator.hardware.SysfsFile.line;
import static io.numaledger.simulator.hardware.SysfsFile.link;

/** {@code /sys/bus/pci/devices}: the NUMA nodes of devices that say where on the bus they are. */
final class PciFiles {

    private static final String NO_NUMA_NODE = "-1";

    private final List<DraDriverSpec> drivers;

    PciFiles(List<DraDriverSpec> drivers) {
        this.drivers = drivers;
    }

    void write(Path root) throws IOException {
        for (DraDriverSpec driver : drivers) {
            for (DraDevice device : driver.devices()) {
                if (device.pciBusId().isPresent()) {
                    write(root, device.pciBusId().get(), device);
                }
            }
        }
    }

    private static void write(Path root, String address, DraDevice device) throws IOException {
        String hostBridge = "pci" + address.replaceFirst(":[^:]*$", "");
        line(
                root.resolve("sys/devices").resolve(hostBridge).resolve(address).resolve("numa_node"),
                device.pciNumaNode().isPresent() ? device.pciNumaNode().getAsInt() : NO_NUMA_NODE);
        link(
                root.resolve("sys/bus/pci/devices").resolve(address),
                "../../../devices/%s/%s".formatted(hostBridge, address));
    }
}
