package io.numaledger.agent.pci;

import io.numaledger.agent.sysfs.SysfsReader;
import io.numaledger.gpu.PciAddress;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** Reads PCI functions from {@code bus/pci/devices}, one at a time, without a cache. */
public final class PciBus {

    private static final Pattern HOST_BRIDGE = Pattern.compile("pci[0-9a-f]{4,8}:[0-9a-f]{2}");

    private final SysfsReader reader;
    private final Path devices;
    private final MachineTopology machine;

    /**
     * Nothing is read yet.
     *
     * @param machine provides the NUMA node of a function whose CPUs are known and whose node is not
     */
    public PciBus(SysfsReader reader, Path sysfsRoot, MachineTopology machine) {
        this.reader = reader;
        this.devices = sysfsRoot.resolve("bus").resolve("pci").resolve("devices");
        this.machine = machine;
    }

    /** The addresses of all functions, ascending. */
    public List<PciAddress> addresses() {
        return reader.names(devices).stream()
                .filter(PciAddress::isAddress)
                .map(PciAddress::parse)
                .sorted()
                .toList();
    }

    /** The NUMA nodes of all functions. */
    public SortedMap<PciAddress, OptionalInt> numaNodes() {
        SortedMap<PciAddress, OptionalInt> numaNodes = new TreeMap<>();
        addresses().forEach(address -> numaNodes.put(address, numaNode(directory(address))));
        return numaNodes;
    }

    /** NVIDIA's functions, by ascending address: GPUs, NVSwitches, and what else is on their boards. */
    public List<PciFunction> nvidiaFunctions() {
        return addresses().stream()
                .filter(address -> number(address, "vendor") == PciFunction.NVIDIA)
                .flatMap(address -> function(address).stream())
                .toList();
    }

    /** A PCI function; absent when sysfs has no such function. */
    public Optional<PciFunction> function(PciAddress address) {
        Path directory = directory(address);
        if (!Files.isDirectory(directory)) {
            return Optional.empty();
        }
        return Optional.of(new PciFunction(
                address,
                number(address, "class"),
                number(address, "vendor"),
                number(address, "device"),
                driver(directory),
                numaNode(directory),
                upstream(directory),
                Files.exists(directory.resolve("physfn"))));
    }

    /** The CPUs near a function, if sysfs reports them: {@code local_cpulist}, else the mask {@code local_cpus}. */
    public Optional<CpuSet> localCpus(PciAddress address) {
        return localCpus(directory(address));
    }

    private Path directory(PciAddress address) {
        return devices.resolve(address.toString());
    }

    private int number(PciAddress address, String file) {
        return reader.parsed(directory(address).resolve(file), PciBus::hexadecimal)
                .orElse(0);
    }

    /** Such as {@code 0x10de}; 24 bits at most. */
    static int hexadecimal(String text) {
        if (!text.matches("0x[0-9a-fA-F]{1,6}")) {
            throw new IllegalArgumentException("not a number such as 0x10de: text='%s'".formatted(text));
        }
        return Integer.parseInt(text, 2, text.length(), 16);
    }

    private static Optional<String> driver(Path directory) {
        try {
            Path driver = Files.readSymbolicLink(directory.resolve("driver"));
            return Optional.ofNullable(driver.getFileName()).map(Path::toString);
        } catch (IOException | UnsupportedOperationException unbound) {
            return Optional.empty();
        }
    }

    /**
     * The kernel's own answer; where it is -1 or missing, the one node that holds all CPUs near the function. CPUs
     * of several nodes, or all online ones, say nothing.
     */
    private OptionalInt numaNode(Path directory) {
        Optional<Integer> reported =
                reader.parsed(directory.resolve("numa_node"), Integer::parseInt).filter(node -> node >= 0);
        return reported.isPresent()
                ? OptionalInt.of(reported.get())
                : localCpus(directory).map(this::nodeHolding).orElseGet(OptionalInt::empty);
    }

    private OptionalInt nodeHolding(CpuSet cpus) {
        CpuSet online = cpus.intersect(machine.onlineCpus());
        if (online.isEmpty() || online.equals(machine.onlineCpus())) {
            return OptionalInt.empty();
        }
        return machine.numaNodes().stream()
                .filter(node -> node.cpus().containsAll(online))
                .mapToInt(NumaNode::id)
                .findFirst();
    }

    private Optional<CpuSet> localCpus(Path directory) {
        return reader.parsed(directory.resolve("local_cpulist"), CpuSet::parse)
                .or(() -> reader.parsed(directory.resolve("local_cpus"), CpuSet::parseMask));
    }

    /** The tree is visible only in the path that the link in {@code bus/pci/devices} resolves to. */
    private static List<String> upstream(Path directory) {
        try {
            Path real = directory.toRealPath();
            List<String> names = StreamSupport.stream(real.spliterator(), false)
                    .map(Path::toString)
                    .toList();
            return IntStream.range(0, names.size())
                    .filter(at -> HOST_BRIDGE.matcher(names.get(at)).matches())
                    .mapToObj(at -> names.subList(at, names.size() - 1))
                    .findFirst()
                    .orElse(List.of());
        } catch (IOException gone) {
            return List.of();
        }
    }
}
