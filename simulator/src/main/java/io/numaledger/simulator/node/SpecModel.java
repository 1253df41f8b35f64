package io.numaledger.simulator.node;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.device.DevicePreference;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.resource.Hugepages;
import io.numaledger.simulator.deviceplugin.PreferredDevices;
import io.numaledger.simulator.hardware.DevicePluginSpec;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NumaNodeSpec;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** From the description of a simulated node to the kubelet model, and to what such a kubelet calls allocatable. */
public final class SpecModel {

    private SpecModel() {}

    /**
     * A kubelet of this node, without pods.
     *
     * @throws io.numaledger.kubelet.config.StartupRefusedException if a kubelet would not start so
     */
    public static KubeletModel start(NodeSpec spec) {
        SortedMap<String, List<Device>> devices = new TreeMap<>();
        List<Integer> numaNodes =
                spec.numaNodes().stream().map(NumaNodeSpec::id).toList();
        for (DevicePluginSpec plugin : spec.devices()) {
            devices.put(
                    plugin.resource(),
                    plugin.devices().stream()
                            .map(device -> device(device, numaNodes))
                            .toList());
        }
        return KubeletModel.start(
                Machine.probed(spec.machine(), devices).withPreferences(preferences(spec)), config(spec));
    }

    private static SortedMap<String, DevicePreference> preferences(NodeSpec spec) {
        SortedMap<String, DevicePreference> preferences = new TreeMap<>();
        spec.devices().stream().filter(DevicePluginSpec::preferredAllocation).forEach(plugin -> {
            PreferredDevices preferred = new PreferredDevices(plugin.devices());
            preferences.put(plugin.resource(), preferred::choose);
        });
        return preferences;
    }

    private static Device device(DeviceAllocation device, List<Integer> numaNodes) {
        return new Device(device.deviceId(), Device.numaNodes(device.numaNodes(), numaNodes), true);
    }

    static KubeletVersion version(NodeSpec spec) {
        return spec.kubeletVersion().map(KubeletVersion::parse).orElse(new KubeletVersion(KubeletVersion.NEWEST));
    }

    private static KubeletConfig config(NodeSpec spec) {
        KubeletSpec kubelet = spec.kubelet();
        return new KubeletConfig(
                version(spec),
                kubelet.topologyManager(),
                kubelet.cpuManager(),
                kubelet.memoryManager(),
                kubelet.featureGates());
    }

    static CpuSet allocatableCpus(NodeSpec spec) {
        return spec.kubelet().staticCpus()
                ? spec.machine().onlineCpus().minus(spec.kubelet().reservedSystemCpus())
                : CpuSet.EMPTY;
    }

    /** One block per NUMA node and type (getDefaultMachineState and GetAllocatableMemory, cm/memorymanager/policy_static.go). */
    static List<MemoryBlock> allocatableMemory(NodeSpec spec) {
        List<MemoryBlock> blocks = new ArrayList<>();
        if (!spec.kubelet().staticMemory()) {
            return blocks;
        }
        MemoryManagerConfig config = spec.kubelet().memoryManager();
        for (NumaNodeSpec node : spec.numaNodes()) {
            long huge = 0;
            for (var pages : node.hugepages().entrySet()) {
                long bytes = pages.getKey() * pages.getValue();
                huge += bytes;
                String type = Hugepages.resource(pages.getKey());
                add(type, bytes - config.reserved(node.id(), type), node.id(), blocks);
            }
            add("memory", node.memoryBytes() - huge - config.reserved(node.id(), "memory"), node.id(), blocks);
        }
        return blocks;
    }

    private static void add(String type, long bytes, int numaNode, List<MemoryBlock> into) {
        if (bytes > 0) {
            into.add(new MemoryBlock(type, bytes, List.of(numaNode)));
        }
    }
}
