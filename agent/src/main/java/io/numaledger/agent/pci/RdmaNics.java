package io.numaledger.agent.pci;

import io.numaledger.agent.sysfs.SysfsReader;
import io.numaledger.gpu.PciAddress;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** Reads the RDMA devices from {@code class/infiniband}; a PCI class does not identify them reliably. */
public final class RdmaNics {

    private final SysfsReader reader;
    private final PciBus bus;
    private final Path devices;

    public RdmaNics(SysfsReader reader, Path sysfsRoot, PciBus bus) {
        this.reader = reader;
        this.bus = bus;
        this.devices = sysfsRoot.resolve("class").resolve("infiniband");
    }

    /** Sorted as a person would number them: {@code mlx5_2} before {@code mlx5_10}. */
    public List<RdmaNic> read() {
        return reader.names(devices).stream()
                .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .map(name -> new RdmaNic(name, address(devices.resolve(name)).flatMap(bus::function), ports(name)))
                .toList();
    }

    /** The last PCI address in the path that the class link resolves to. */
    private static Optional<PciAddress> address(Path link) {
        try {
            return StreamSupport.stream(link.toRealPath().spliterator(), false)
                    .map(Path::toString)
                    .filter(PciAddress::isAddress)
                    .map(PciAddress::parse)
                    .reduce((outer, inner) -> inner);
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private List<RdmaNic.Port> ports(String name) {
        Path ports = devices.resolve(name).resolve("ports");
        return reader.names(ports).stream()
                .filter(number -> number.matches("[0-9]{1,4}"))
                .map(number -> port(ports.resolve(number), Integer.parseInt(number)))
                .sorted(Comparator.comparingInt(RdmaNic.Port::number))
                .toList();
    }

    private RdmaNic.Port port(Path directory, int number) {
        return new RdmaNic.Port(
                number,
                word(directory, "link_layer"),
                word(directory, "state").map(state -> state.replaceFirst("^[0-9]+: *", "")),
                word(directory, "rate"));
    }

    private Optional<String> word(Path directory, String file) {
        return reader.text(directory.resolve(file)).filter(text -> !text.isEmpty());
    }
}
