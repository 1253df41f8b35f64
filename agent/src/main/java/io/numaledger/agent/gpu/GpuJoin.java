package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.FabricState;
import io.numaledger.agent.nvml.NvmlGpu;
import io.numaledger.agent.pci.PciBus;
import io.numaledger.agent.pci.PciDistance;
import io.numaledger.agent.pci.PciFunction;
import io.numaledger.agent.pci.RdmaNic;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;
import io.numaledger.gpu.PcieLevels;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.TreeSet;

/** Joins the GPUs of sysfs and of the driver by PCI address. */
final class GpuJoin {

    private static final String PASSED_THROUGH = "vfio-pci";

    private final List<PciFunction> nvidia;
    private final List<JoinedGpu> gpus;
    private final MachineTopology machine;
    private final List<String> warnings;

    /**
     * Joins at once.
     *
     * @param nvidia NVIDIA's functions in sysfs
     * @param driverGpus the GPUs of the driver; empty also if the driver cannot be used
     * @param warnings receives sentences
     */
    GpuJoin(List<PciFunction> nvidia, List<NvmlGpu> driverGpus, MachineTopology machine, List<String> warnings) {
        this.nvidia = nvidia;
        this.machine = machine;
        this.warnings = warnings;
        this.gpus = joined(nvidia, driverGpus);
    }

    /**
     * A GPU that the driver counts and does not let us open has no address from it; it is one of those that only
     * sysfs shows.
     */
    private static List<JoinedGpu> joined(List<PciFunction> nvidia, List<NvmlGpu> driverGpus) {
        NavigableMap<PciAddress, PciFunction> unseen = new TreeMap<>();
        nvidia.stream()
                .filter(PciFunction::isNvidiaGpu)
                .filter(function -> !function.driver().equals(Optional.of(PASSED_THROUGH)))
                .forEach(function -> unseen.put(function.address(), function));
        List<JoinedGpu> joined = new ArrayList<>();
        List<JoinedGpu> nameless = new ArrayList<>();
        for (NvmlGpu gpu : driverGpus) {
            Optional<PciFunction> function = gpu.identity().address().map(unseen::remove);
            boolean named = gpu.identity().address().isPresent();
            (named ? joined : nameless).add(new JoinedGpu(Optional.of(gpu), function));
        }
        nameless.stream().skip(unseen.size()).forEach(joined::add);
        unseen.values().forEach(function -> joined.add(new JoinedGpu(Optional.empty(), Optional.of(function))));
        joined.sort(JoinedGpu.ORDER);
        return joined;
    }

    boolean complete() {
        return gpus.stream()
                .allMatch(gpu -> gpu.readable()
                        && gpu.driver()
                                .flatMap(NvmlGpu::fabric)
                                .filter(FabricState::isSettling)
                                .isEmpty());
    }

    GpuSystem system(String name, PciBus bus, List<RdmaNic> nics) {
        NavigableSet<PciAddress> switches = new TreeSet<>();
        nvidia.stream()
                .filter(PciFunction::isNvSwitch)
                .map(PciFunction::address)
                .forEach(switches::add);
        LinkCounter counter = new LinkCounter(gpus, switches);
        LinkMatrix links = counter.matrix(warnings::add);
        warnOfUnusableLinks(links);
        GpuTopology topology = new GpuTopology(
                gpus.stream().map(this::gpu).toList(),
                counter.kind(),
                links,
                PcieLevels.of(gpus.size(), this::level),
                clique());
        return new GpuSystem(
                name,
                Optional.empty(),
                topology,
                gpus.stream().map(gpu -> detail(gpu, bus)).toList(),
                nics.stream().map(this::nic).toList(),
                nvidia.stream().filter(PciFunction::isNvSwitch).toList());
    }

    private Gpu gpu(JoinedGpu gpu) {
        Optional<NvmlGpu.Identity> identity = gpu.driver().map(NvmlGpu::identity);
        return new Gpu(
                identity.flatMap(NvmlGpu.Identity::uuid),
                gpu.address(),
                identity.map(NvmlGpu.Identity::minor).orElseGet(OptionalInt::empty),
                identity.map(NvmlGpu.Identity::moduleId).orElseGet(OptionalInt::empty),
                gpu.numaNode(),
                memoryNode(gpu),
                gpu.readable());
    }

    /** On GPUs without memory of their own in the kernel, the driver answers with a number that means nothing. */
    private OptionalInt memoryNode(JoinedGpu gpu) {
        OptionalInt reported = gpu.driver().map(NvmlGpu::memoryNode).orElseGet(OptionalInt::empty);
        boolean memoryOnly = reported.isPresent()
                && machine.numaNode(reported.getAsInt())
                        .map(NumaNode::cpus)
                        .filter(CpuSet::isEmpty)
                        .isPresent();
        return memoryOnly ? reported : OptionalInt.empty();
    }

    private Optional<PcieLevel> level(int row, int column) {
        JoinedGpu first = gpus.get(row);
        JoinedGpu second = gpus.get(column);
        Optional<PcieLevel> reported = pair(row, column).flatMap(NvmlGpu.Pair::pcie);
        return reported.or(() ->
                first.function().flatMap(one -> second.function().flatMap(other -> PciDistance.between(one, other))));
    }

    private Optional<NvmlGpu.Pair> pair(int row, int column) {
        return gpus.get(row)
                .driver()
                .flatMap(first ->
                        gpus.get(column).driver().map(second -> first.toOthers().get(second.index())));
    }

    private void warnOfUnusableLinks(LinkMatrix links) {
        List<String> unusable = new ArrayList<>();
        for (int row = 0; row < gpus.size(); row++) {
            for (int column = 0; column < row; column++) {
                OptionalInt status =
                        pair(row, column).map(NvmlGpu.Pair::linkStatus).orElseGet(OptionalInt::empty);
                if (links.links(row, column) > 0 && status.orElse(0) != 0) {
                    unusable.add(column + "-" + row);
                }
            }
        }
        if (!unusable.isEmpty()) {
            warnings.add(
                    "NVLinks are wired but the driver does not let programs use them: pairs=%s; check that the fabric manager runs, then nvidia-smi topo -p2p n"
                            .formatted(String.join(",", unusable)));
        }
    }

    private Optional<String> clique() {
        List<Optional<String>> cliques = gpus.stream()
                .map(gpu -> gpu.driver().flatMap(NvmlGpu::fabric).flatMap(FabricState::clique))
                .distinct()
                .toList();
        return cliques.size() == 1 ? cliques.get(0) : Optional.empty();
    }

    private GpuDetail detail(JoinedGpu gpu, PciBus bus) {
        Optional<CpuSet> cpus = gpu.address()
                .flatMap(bus::localCpus)
                .or(() -> gpu.numaNode().stream()
                        .mapToObj(machine::numaNode)
                        .flatMap(Optional::stream)
                        .map(NumaNode::cpus)
                        .findFirst());
        return new GpuDetail(
                gpu.driver().flatMap(driver -> driver.identity().name()),
                cpus.map(CpuSet::toString),
                gpu.driver().map(NvmlGpu::links).orElse(List.of()),
                gpu.driver().flatMap(NvmlGpu::mig));
    }

    private GpuNic nic(RdmaNic nic) {
        return new GpuNic(
                nic.name(),
                nic.function().map(PciFunction::address),
                nic.function().map(PciFunction::numaNode).orElseGet(OptionalInt::empty),
                gpus.stream()
                        .map(gpu -> gpu.function()
                                .flatMap(one -> nic.function().flatMap(other -> PciDistance.between(one, other))))
                        .toList());
    }
}
