package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.NodeConstraints.Taint;
import io.numaledger.pod.RequestedAmount;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ResourceSliceReaderTest {

    private final ResourceSliceReader reader = new ResourceSliceReader();

    @Test
    void readsAGpuDriversSlice() throws IOException {
        ResourceSlice slice = read("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: n1-gpu.nvidia.com-x2v}
                spec:
                  driver: gpu.nvidia.com
                  nodeName: n1
                  pool: {name: n1, generation: 3, resourceSliceCount: 2}
                  devices:
                  - name: gpu-0
                    attributes:
                      type: {string: gpu}
                      uuid: {string: GPU-4f0c}
                      cudaComputeCapability: {version: 9.0.0}
                      resource.kubernetes.io/numaNode: {int: 1}
                      resource.kubernetes.io/pciBusID: {string: "0000:3b:00.0"}
                    capacity: {memory: {value: 81559Mi}}
                    taints:
                    - {key: gpu.nvidia.com/xid, value: "79", effect: NoExecute, timeAdded: "2026-01-01T00:00:00Z"}
                    - {key: gpu.nvidia.com/info, effect: None}
                    consumesCounters: [{counterSet: gpu-0, counters: {memory: {value: 1}}}]
                    bindingConditions: [attached]
                """);

        assertThat(slice.problems()).isEmpty();
        assertThat(slice)
                .extracting(ResourceSlice::pool, ResourceSlice::generation, ResourceSlice::sliceCount)
                .containsExactly("n1", 3L, 2L);
        Device gpu = slice.devices().get(0);
        assertThat(gpu.id()).hasToString("gpu.nvidia.com/n1/gpu-0");
        assertThat(gpu.node()).contains("n1");
        assertThat(gpu.numaNodes().known()).map(NumaNodes.Known::physical).contains(1);
        assertThat(gpu.pciAddress()).map(Object::toString).contains("0000:3b:00.0");
        assertThat(gpu.attributes())
                .containsEntry("gpu.nvidia.com/type", DeviceAttribute.ofString("gpu"))
                .containsEntry(
                        "gpu.nvidia.com/cudaComputeCapability",
                        new DeviceAttribute(DeviceAttribute.Type.VERSION, false, List.of("9.0.0")));
        assertThat(gpu.capacity()).containsEntry("gpu.nvidia.com/memory", RequestedAmount.parse("81559Mi"));
        assertThat(gpu.taints()).containsExactly(new Taint("gpu.nvidia.com/xid", "79", "NoExecute"));
        assertThat(gpu.partition()).isTrue();
        assertThat(gpu.conditional()).isTrue();
        assertThat(gpu.shared()).isFalse();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            dra-driver-cpu       | dra.cpu              | resource.kubernetes.io/numaNode: {int: 0}      | node-0
            its old attribute    | dra.cpu              | dra.cpu/numaNodeID: {int: 1}                   | node-1
            without its domain   | dra.cpu              | numaNodeID: {int: 1}                           | node-1
            grouped by socket    | dra.cpu              | dra.cpu/socketID: {int: 1}                     | -
            dra-driver-memory    | dra.memory           | dra.cpu/numaNodeID: {int: 1}                   | node-1
            a list               | gpu.nvidia.com       | resource.kubernetes.io/numaNode: {ints: [1]}   | node-1
            a list of two        | dra.net              | resource.kubernetes.io/numaNode: {ints: [2,0]} | node-0, node-2
            SR-IOV               | sriovnetwork.k8s.cni.cncf.io | dra.net/numaNode: {int: 1}             | node-1
            SR-IOV, not known    | sriovnetwork.k8s.cni.cncf.io | dra.net/numaNode: {int: -1}            | -
            AMD                  | gpu.amd.com          | numaNode: {int: 1}                             | node-1
            another's numaNode   | gpu.example.com      | numaNode: {int: 1}                             | -
            a text               | dra.net              | resource.kubernetes.io/numaNode: {string: "1"} | -
            a broken number      | dra.net              | resource.kubernetes.io/numaNode: {int: 1.5}    | -
            out of range         | dra.net              | resource.kubernetes.io/numaNode: {int: 99999999999999999999} | -
            """)
    void readsTheNumaNodesOfKnownDrivers(String situation, String driver, String attribute, String nodes)
            throws IOException {
        Device device = read(slice(driver, "{name: d, attributes: {%s}}".formatted(attribute)))
                .devices()
                .get(0);

        assertThat(device.numaNodes().known().map(Object::toString).orElse("-")).isEqualTo(nodes);
    }

    @Test
    void devicesOfNoNodeAndOfNodesOfTheirOwn() throws IOException {
        assertThat(read("""
                        metadata: {name: s}
                        spec: {driver: d, allNodes: true, pool: {name: p}, devices: [{name: a}]}
                        """).devices()).extracting(Device::node).allMatch(node -> node.isEmpty());
        assertThat(read("""
                        metadata: {name: s}
                        spec:
                          driver: d
                          perDeviceNodeSelection: true
                          pool: {name: p}
                          devices: [{name: a, nodeName: n1}, {name: b, allNodes: true, allowMultipleAllocations: true}]
                        """).devices())
                .extracting(device -> device.node().orElse("-"))
                .containsExactly("n1", "-");
    }

    @Test
    void leavesOutWhatItCannotReadAndNamesIt() throws IOException {
        ResourceSlice slice = read(slice("d", """
                {name: "a\\u001b[31m"}, {name: ok}, {name: ok}, {name: 7, attributes: {x: {float: 1}, y: {int: 1}},
                 capacity: {z: {value: many}, w: {value: 1}}, unknown: {field: 1}}, text, {attributes: 3}
                """));

        assertThat(slice.devices()).extracting(device -> device.id().name()).containsExactly("ok", "7");
        assertThat(slice.devices().get(1).attributes()).containsKeys("d/y");
        assertThat(slice.devices().get(1).capacity()).containsOnlyKeys("d/w");
        assertThat(slice.problems())
                .containsExactly(
                        "the device name 'a\\u001b[31m' is odd, or not the only one",
                        "the device name 'ok' is odd, or not the only one",
                        "the value of attribute 7/x cannot be read",
                        "the capacity 7/z cannot be read",
                        "the device name '' is odd, or not the only one",
                        "1 more");
    }

    @Test
    void readsABoundedNumberOfDevices() throws IOException {
        String devices = IntStream.range(0, ResourceSliceReader.MAX_DEVICES + 5)
                .mapToObj("{\"name\": \"d-%d\"}"::formatted)
                .collect(Collectors.joining(","));
        ResourceSlice slice = read(
                "{\"metadata\": {\"name\": \"s\"}, \"spec\": {\"driver\": \"d\", \"pool\": {\"name\": \"p\"}, \"devices\": [%s]}}"
                        .formatted(devices));

        assertThat(slice.devices()).hasSize(ResourceSliceReader.MAX_DEVICES);
        assertThat(slice.problems()).containsExactly("it has 10005 devices, more than are read");
    }

    @Test
    void rejectsASliceWithoutADriver() {
        assertThatThrownBy(() -> read("{metadata: {name: s}, spec: {pool: {name: p}}}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a ResourceSlice has no usable spec.driver; ask who runs its driver");
    }

    @Test
    void equalAttributesAreOneObject() throws IOException {
        List<Device> devices = read(slice(
                        "d", "{name: a, attributes: {x: {int: 1}}}, {name: b, attributes: {x: {int: 1}}}"))
                .devices();

        assertThat(devices.get(0).attributes().get("d/x"))
                .isSameAs(devices.get(1).attributes().get("d/x"));
    }

    private static String slice(String driver, String devices) {
        return """
                metadata: {name: s}
                spec:
                  driver: %s
                  nodeName: n
                  pool: {name: n, generation: 1, resourceSliceCount: 1}
                  devices: [%s]
                """.formatted(driver, devices);
    }

    private ResourceSlice read(String text) throws IOException {
        JsonNode object = Documents.read(text).get(0);
        return reader.slice(object);
    }
}
