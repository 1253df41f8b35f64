package io.numaledger.kubelet;

import io.numaledger.kubelet.config.TopologyPolicyName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;
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
}
