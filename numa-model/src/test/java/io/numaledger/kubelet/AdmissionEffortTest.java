package io.numaledger.kubelet;

import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.device.Device;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class AdmissionEffortTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', emptyValue = "", textBlock = """
            two sockets                 | restricted       | true  | false | true  |  2 |  2 |  2 | 2 | ''
            two resources on 8 nodes    | restricted       | true  | false | true  |  8 |  8 |  8 | 0 | ''
            three resources on 8 nodes  | restricted       | true  | false | true  |  8 |  8 |  8 | 8 | the kubelet needs about 2 s to admit a container that requests cpu, memory, gpu on 8 NUMA nodes; topologyManagerPolicy single-numa-node avoids that
            1.38 on 8 nodes             | restricted       | true  | true  | true  |  8 |  8 |  8 | 8 | ''
            1.35 lists all nodes        | best-effort      | false | false | false | 18 |  2 | 18 | 8 | ''
            GPUs of a Grace before 1.36 | restricted       | false | false | false | 34 |  2 |  2 | 2 | the kubelet needs about 10 hours to admit a container that requests cpu, gpu on 34 NUMA nodes; kubelet 1.36 avoids that
            GPUs of a Grace             | restricted       | false | false | true  | 34 |  2 |  2 | 2 | ''
            memory of a Grace           | single-numa-node | true  | false | true  | 34 |  2 |  6 | 2 | the kubelet needs about 9 hours to admit a container that requests cpu, memory, gpu on 34 NUMA nodes; memoryManagerPolicy None avoids that
            the most there can be       | restricted       | true  | false | true  | 64 | 64 | 64 | 2 | the kubelet needs days or longer to admit a container that requests cpu, memory, gpu on 64 NUMA nodes; no setting of the managers avoids that; merge NUMA nodes in the firmware or the driver
            policy none lists memory    | none             | true  | false | true  | 34 |  2 |  2 | 2 | the kubelet needs about 9 hours to admit a container that requests cpu, memory, gpu on 34 NUMA nodes; memoryManagerPolicy None avoids that
            """)
    void warnsFromASecondOn(
            String situation,
            String policy,
            boolean memory,
            boolean findsPreferred,
            boolean limitsDevices,
            int numaNodes,
            int withCpus,
            int withMemory,
            int withGpus,
            String warning) {
        AdmissionEffort effort = new AdmissionEffort(
                TopologyPolicyName.parse(policy),
                memory,
                findsPreferred,
                limitsDevices,
                numaNodes,
                withCpus,
                withMemory,
                new TreeMap<>(withGpus > 0 ? Map.of("gpu", withGpus) : Map.of()));

        assertThat(effort.warning().orElse("")).as(situation).isEqualTo(warning);
    }

    /** Eight NUMA nodes with a CPU and memory each, and devices of two resources on some of them. */
    @ParameterizedTest(name = "1.{0}, {1} and {2}")
    @CsvSource(delimiter = '|', textBlock = """
            37 | 0-3 | 0-3 | true
            38 | 0-3 | 0-3 | false
            38 | 0-3 | 3-6 | false
            38 | 0-3 | 4-7 | true
            """)
    void needsFewCombinationsFrom138OnWhereOneNodeHasAllResources(int minor, String gpus, String nics, boolean slow) {
        List<NumaNode> nodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int id = 0; id < 8; id++) {
            nodes.add(new NumaNode(id, CpuSet.of(id), OptionalLong.of(1L << 34), new TreeMap<>(), new TreeMap<>()));
            cpus.add(new LogicalCpu(id, OptionalInt.of(0), id, OptionalInt.empty()));
        }
        TreeMap<String, List<Device>> devices =
                new TreeMap<>(Map.of("gpu", devices(gpus), "nic", devices(nics), "key", List.of()));
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(minor),
                TopologyManagerConfig.of(TopologyPolicyName.RESTRICTED, TopologyScope.POD),
                CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                MemoryManagerConfig.staticPolicy(Map.of(0, 1L << 30)));

        AdmissionEffort effort = AdmissionEffort.of(KubeletModel.start(
                new Machine(new MachineTopology(CpuSet.range(0, 7), nodes, cpus), devices), config));

        assertThat(effort.warning().isPresent()).isEqualTo(slow);
    }

    private static List<Device> devices(String numaNodes) {
        return CpuSet.parse(numaNodes)
                .ids()
                .mapToObj(id -> new Device("d" + id, AffinityMask.of(id), true))
                .toList();
    }
}
