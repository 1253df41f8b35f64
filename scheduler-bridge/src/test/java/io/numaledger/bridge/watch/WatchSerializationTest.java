package io.numaledger.bridge.watch;

import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.objects.PodObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WatchSerializationTest {

    private static final String ZONES = """
            {"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":{"name":"n","uid":"u",\
            "resourceVersion":"9","creationTimestamp":"2026-01-01T00:00:00Z","annotations":{"a":"b"},\
            "managedFields":[{"manager":"numaledger","time":"2026-01-03T00:00:00Z","fieldsV1":{"f:zones":{}}}]},\
            "zones":[{"name":"node-0","type":"Node","resources":[{"name":"cpu","capacity":"8","allocatable":"7","available":"3"}]}]}""";

    private final KubernetesSerialization serialization = new WatchSerialization();

    private WatchEvent read(String text) {
        return serialization.unmarshal(text, WatchEvent.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"kind\":\"Pod\",\"apiVersion\":\"v1\"", "\"apiVersion\":\"v1\",\"kind\":\"Pod\""})
    void readsPodsAsTheClientDoes(String kind) {
        String text = """
                {"type":"MODIFIED","object":{%s,"metadata":{"name":"p","namespace":"default","uid":"u","resourceVersion":"7",\
                "creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"b"},"annotations":{"numaledger.io/placement":"{}"},\
                "managedFields":[{"manager":"kubelet","fieldsV1":{"f:status":{}}}]},\
                "spec":{"nodeName":"n","schedulerName":"s","priority":3,"tolerations":[{"key":"k","operator":"Exists"}],\
                "containers":[{"name":"c","image":"i","env":[{"name":"A","value":"\\"object\\":{"}],\
                "resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2","memory":"1Gi"}}}]},\
                "status":{"phase":"Running","qosClass":"Guaranteed","conditions":[{"type":"Ready","status":"True"}]}}}
                """.formatted(kind);

        WatchEvent event = read(text);

        assertThat(event.getType()).isEqualTo("MODIFIED");
        assertThat(event.getObject()).isInstanceOf(PodObject.class);
        KubernetesSerialization ofClient = new KubernetesSerialization();
        WatchEvent expected = ofClient.unmarshal(text, WatchEvent.class);
        assertThat(expected.getObject()).isInstanceOf(Pod.class);
        assertThat(ofClient.asJson(event.getObject()))
                .isEqualTo(ofClient.asJson(ofClient.convertValue(expected.getObject(), PodObject.class)));
    }

    @Test
    void readsNodeResourceTopologies() throws IOException {
        NodeTopology topology = NodeTopologyJson.read(ZONES);
        TopologyObject object = (TopologyObject)
                read("{\"type\":\"ADDED\",\"object\":%s}".formatted(ZONES)).getObject();

        assertThat(object.topology()).isEqualTo(topology);
        assertThat(object.getMetadata().getName()).isEqualTo("n");
        assertThat(object.getMetadata().getResourceVersion()).isEqualTo("9");
        assertThat(object.writtenAt()).contains(Instant.parse("2026-01-03T00:00:00Z"));
    }

    @Test
    void readsTheVersionOfABookmark() {
        WatchEvent event = read(
                "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"12\","
                        + "\"creationTimestamp\":null},\"spec\":{\"containers\":null},\"status\":{}}}");

        assertThat(event.getType()).isEqualTo("BOOKMARK");
        assertThat(((PodObject) event.getObject()).getMetadata().getResourceVersion())
                .isEqualTo("12");
    }

    @Test
    void readsNodesAsTheClientDoesWithoutImagesAndManagedFields() {
        String node = """
                {"kind":"Node","apiVersion":"v1","metadata":{"name":"n","uid":"u","resourceVersion":"7","labels":{"a":"b"}%s},\
                "spec":{"unschedulable":true},"status":{"allocatable":{"cpu":"8"},"conditions":[{"type":"Ready","status":"True"}]%s}}""";
        String text = node.formatted(
                ",\"managedFields\":[{\"manager\":\"kubelet\"}]", ",\"images\":[{\"names\":[\"i\"],\"sizeBytes\":1}]");
        Node expected = new KubernetesSerialization().unmarshal(node.formatted("", ""), Node.class);

        assertThat(read("{\"type\":\"MODIFIED\",\"object\":%s}".formatted(text)).getObject())
                .isEqualTo(expected);
        assertThat(serialization
                        .unmarshal("{\"metadata\":{},\"items\":[%s]}".formatted(text), NodeList.class)
                        .getItems())
                .containsExactly(expected);
    }

    @Test
    void leavesOtherKindsToTheClient() {
        assertThat(
                        read("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}}")
                                .getObject())
                .isInstanceOf(Secret.class);
        assertThat(read("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410}}")
                        .getObject())
                .isInstanceOf(Status.class);
    }

    @Test
    void theClientSaysWhatIsWrongWithAPod() {
        assertThatThrownBy(
                        () -> read(
                                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":7}}}"))
                .hasRootCauseInstanceOf(MismatchedInputException.class);
    }
}
