package io.numaledger.simulator.node;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.device.DevicePreference;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
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

/** From the description of a simulated node to the kubelet model. */
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

    /** What such a kubelet calls allocatable: one block per NUMA node and type of memory. */
    static AllocatableResources allocatable(NodeSpec spec, KubeletModel model) {
        List<MemoryBlock> memory = new ArrayList<>();
        model.empty()
                .memory()
                .ifPresent(state -> state.nodes()
                        .forEach((id, numaNode) -> numaNode.allocatable().forEach((type, bytes) -> {
                            if (bytes > 0) {
                                memory.add(new MemoryBlock(type, bytes, List.of(id)));
                            }
                        })));
        return new AllocatableResources(
                model.cpus()
                        .map(cpus -> spec.machine().onlineCpus().minus(cpus.reserved()))
                        .orElse(CpuSet.EMPTY),
                memory,
                spec.devices().stream()
                        .flatMap(plugin -> plugin.devices().stream())
                        .toList());
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
}
