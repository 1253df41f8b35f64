package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.pod.QosClass;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The embedded API server and the kubelet model compute the same QoS class. */
class QosClassAgreementTest {

    private static EmbeddedApiServer server;
    private static KubernetesClient client;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        server = EmbeddedApiServer.start();
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(
                        server.writeKubeconfig(directory.resolve("kubeconfig")).toFile()))
                .build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no resources                         |                                                | {}                                                           | {}                                  | BestEffort
            zero amounts                         |                                                | {limits: {cpu: 0, memory: 0}}                                | {}                                  | BestEffort
            devices alone                        |                                                | {limits: {example.com/gpu: 1}}                               | {}                                  | BestEffort
            a request alone                      |                                                | {requests: {cpu: 100m}}                                      | {}                                  | Burstable
            limits of one container              |                                                | {limits: {cpu: 1, memory: 1Gi}}                              | {}                                  | Burstable
            limits of all containers             |                                                | {limits: {cpu: 1, memory: 1Gi}}                              | {limits: {cpu: 2, memory: 1Gi}}     | Guaranteed
            equal amounts in other units         |                                                | {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1000m, memory: 1024Mi}} | {limits: {cpu: 2, memory: 1Gi}} | Guaranteed
            a zero CPU limit                     |                                                | {limits: {cpu: 0, memory: 1Gi}}                              | {limits: {cpu: 2, memory: 1Gi}}     | Burstable
            a zero request with a limit          |                                                | {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 0}}          | {limits: {cpu: 2, memory: 1Gi}}     | Burstable
            pod-level limits                     | {limits: {cpu: 2, memory: 1Gi}}                | {}                                                           | {}                                  | Guaranteed
            pod-level requests                   | {requests: {cpu: 2, memory: 1Gi}}              | {}                                                           | {}                                  | Burstable
            pod-level CPU alone                  | {limits: {cpu: 2}}                             | {limits: {memory: 1Gi}}                                      | {limits: {memory: 1Gi}}             | Burstable
            pod-level zero amounts               | {limits: {cpu: 0, memory: 0}}                  | {}                                                           | {}                                  | BestEffort
            """)
    void agrees(String situation, String podLevel, String init, String app, String expected) {
        Pod pod = (Pod) client.resource("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {generateName: pod-, namespace: default}
                        spec:
                          %s
                          initContainers: [{name: init, image: example.com/app:1, resources: %s}]
                          containers: [{name: app, image: example.com/app:1, resources: %s}]
                        """.formatted(podLevel == null ? "" : "resources: " + podLevel, init, app))
                .create();
        String stored = pod.getStatus().getQosClass();
        pod.setStatus(null);

        assertThat(stored).isEqualTo(expected);
        assertThat(PodRequests.of(pod).qosClass()).isEqualTo(QosClass.parse(expected));
    }
}
