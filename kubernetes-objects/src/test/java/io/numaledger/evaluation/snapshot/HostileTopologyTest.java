package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** NodeResourceTopologies that were written to exhaust who reads them. Each is a reason not to model its node, and costs little. */
@Timeout(180)
class HostileTopologyTest {

    private static final NodeFacts NODE =
            ClusterYaml.read(ClusterYaml.node("n")).nodes().get("n");

    private static String topology(String attributes, String zones) {
        return """
                {"metadata":{"name":"n"},"attributes":[
                {"name":"topologyManagerPolicy","value":"single-numa-node"},{"name":"topologyManagerScope","value":"container"},
                {"name":"cpuManagerPolicy","value":"static"},{"name":"memoryManagerPolicy","value":"None"}%s],"zones":[%s]}
                """.formatted(attributes, zones);
    }

    private static String zone(String name, String attributes, String costs, String resources) {
        return "{\"name\":\"%s\",\"type\":\"Node\",\"attributes\":[%s],\"costs\":[%s],\"resources\":[%s]}"
                .formatted(name, attributes, costs, resources);
    }

    private static String attribute(String name, String value) {
        return "{\"name\":\"%s\",\"value\":\"%s\"}".formatted(name, value);
    }

    private static String resource(String name, String amount) {
        return "{\"name\":\"%s\",\"capacity\":\"%s\",\"allocatable\":\"%2$s\",\"available\":\"%2$s\"}"
                .formatted(name, amount);
    }

    private static String many(int count, IntFunction<String> each) {
        return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining(","));
    }

    static Stream<Arguments> bombs() {
        String cpus = resource("cpu", "8");
        String good = zone("node-0", "", "", cpus);
        return Stream.of(
                arguments(
                        "100,000 zones", topology("", many(100_000, i -> zone("node-" + i, "", "", ""))), "too large"),
                arguments(
                        "20,000 zones",
                        topology("", many(20_000, i -> zone("node-" + i, "", "", ""))),
                        "number of zones"),
                arguments(
                        "100,000 resources",
                        topology("", zone("node-0", "", "", many(100_000, i -> resource("a/r" + i, "1")))),
                        "too large"),
                arguments(
                        "costs of 1,000 zones each",
                        topology(
                                "",
                                many(
                                        64,
                                        i -> zone(
                                                "node-" + i, "", many(1000, j -> attribute("node-" + j, "10")), cpus))),
                        "too large"),
                arguments(
                        "a long attribute",
                        topology("", zone("node-0", attribute("cpus", "0,".repeat(1_000_000)), "", cpus)),
                        "too large"),
                arguments(
                        "strides",
                        topology("", zone("node-0", attribute("cpus", "0-65535:1/2,".repeat(40_000)), "", cpus)),
                        "its parts name more than 65536 ids"),
                arguments(
                        "CPUs that only many zones have together",
                        topology("", many(60, i -> zone("node-" + i, attribute("cpus", "0-8000"), "", cpus))),
                        "an impossible number of CPUs: zone=node-1 count=8001"),
                arguments(
                        "a billion CPUs",
                        topology("", zone("node-0", "", "", resource("cpu", "1G"))),
                        "number of CPUs"),
                arguments(
                        "a giant exponent",
                        topology("", zone("node-0", "", "", resource("cpu", "1e999"))),
                        "number of CPUs"),
                arguments(
                        "a million digits",
                        topology("", zone("node-0", "", "", resource("cpu", "9".repeat(1_000_000)))),
                        "is no quantity, or is negative"),
                arguments("negative CPUs", topology("", zone("node-0", "", "", resource("cpu", "-8"))), "negative"),
                arguments(
                        "a billion devices on two NUMA nodes",
                        topology("," + attribute("devicesBeyondOneZone", "a/b@0-1=999999999/999999999"), good),
                        "an impossible number of devices: resource=a/b"),
                arguments(
                        "the same, in many parts",
                        topology(
                                ","
                                        + attribute(
                                                "devicesBeyondOneZone",
                                                "a/b@0-1=60000/60000;".repeat(4_000) + "a/b@0=1/1"),
                                good),
                        "an impossible number of devices: resource=a/b"));
    }

    static Stream<Arguments> groups() {
        String sockets = "," + attribute("sockets", "0:0-7");
        String all = attribute("cpus", "0-7") + sockets + "," + "{\"name\":\"cores\",\"value\":\"%s\"}";
        String cpus = resource("cpu", "8");
        return Stream.of(
                arguments(
                        "cores with strides",
                        topology(
                                "",
                                zone(
                                        "node-0",
                                        all.formatted("0:0-65535:1/2,1-65535:1/2;".repeat(15_000) + "x"),
                                        "",
                                        cpus)),
                        "too many groups of CPUs: groups=1 cpus=131072"),
                arguments(
                        "cores with one large CPU id each",
                        topology(
                                "",
                                zone(
                                        "node-0",
                                        all.formatted(IntStream.range(0, 40_000)
                                                .mapToObj("%d:65535"::formatted)
                                                .collect(Collectors.joining(";"))),
                                        "",
                                        cpus)),
                        "too many groups of CPUs: groups=8193"),
                arguments(
                        "groups of devices on all NUMA nodes",
                        topology(
                                "," + attribute("devicesBeyondOneZone", "a@0-63=1/1;".repeat(40_000)),
                                zone("node-0", "", "", cpus)),
                        "more than 4096 groups of devices"),
                arguments(
                        "a long part",
                        topology(
                                "," + attribute("devicesBeyondOneZone", "x".repeat(400_000)),
                                zone("node-0", "", "", cpus)),
                        "not a group of devices: part='xxx"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"bombs", "groups"})
    void isAReasonNotToModelTheNode(String what, String json, String reason) throws IOException {
        NodeModel model = model(json);

        assertThat(model.kubelet()).isEmpty();
        assertThat(model.unmodelled().orElseThrow().message()).contains(reason).hasSizeLessThan(500);
    }

    static Stream<Arguments> devices() {
        return Stream.of(
                arguments("a billion devices", resource("a/b", "1G")),
                arguments("many kinds of many devices", many(2_000, i -> resource("a/r" + i, "60000"))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("devices")
    void devicesThatNoMachineHasAreLeftOut(String what, String resources) throws IOException {
        NodeModel model = model(topology("", zone("node-0", "", "", resource("cpu", "8") + "," + resources)));

        assertThat(model.kubelet()).isPresent();
        assertThat(model.leftOut()).isNotEmpty();
    }

    @Test
    void theFirstZoneOfANameCounts() throws IOException {
        String zones = zone("node-0", "", "", resource("cpu", "8"))
                + ","
                + many(1_000, i -> zone("node-0", "", "", resource("cpu", "9")));

        assertThat(model(topology("", zones))
                        .kubelet()
                        .orElseThrow()
                        .machine()
                        .topology()
                        .cpus())
                .hasSize(8);
    }

    private static NodeModel model(String json) throws IOException {
        NodeTopology topology = NodeTopologyJson.read(json);
        return new NodeSnapshotBuilder(SnapshotSettings.DEFAULT).model(NODE, Optional.of(topology));
    }
}
