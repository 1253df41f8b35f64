package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.status.ApiError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PodRulesTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no resources                         | {containers: [{}]}                                                                                   | BestEffort
            zero amounts are ignored             | {containers: [{resources: {requests: {cpu: 0, memory: 0Gi}, limits: {cpu: 0m}}}]}                    | BestEffort
            other resources are ignored          | {containers: [{resources: {requests: {example.org/gpu: 1}, limits: {example.org/gpu: 1}}}]}          | BestEffort
            a request without a limit            | {containers: [{resources: {requests: {cpu: 1}}}]}                                                    | Burstable
            equal amounts in other units         | {containers: [{resources: {requests: {cpu: 2000m, memory: 1Gi}, limits: {cpu: 2, memory: 1024Mi}}}]} | Guaranteed
            a request below its limit            | {containers: [{resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2, memory: 1Gi}}}]}        | Burstable
            a zero limit is no limit             | {containers: [{resources: {requests: {cpu: 0, memory: 1Gi}, limits: {cpu: 0, memory: 1Gi}}}]}        | Burstable
            one container has no limits          | {containers: [{resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1, memory: 1}}}, {}]}        | Burstable
            an init container has no limits      | {initContainers: [{}], containers: [{resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1, memory: 1}}}]} | Burstable
            the sums of all containers are equal | {initContainers: [{resources: {requests: {cpu: 1, memory: 2}, limits: {cpu: 2, memory: 2}}}], containers: [{resources: {requests: {cpu: 3, memory: 1}, limits: {cpu: 2, memory: 1}}}]} | Guaranteed
            pod-level resources decide           | {resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1, memory: 1}}, containers: [{}]}          | Guaranteed
            pod-level requests alone             | {resources: {requests: {cpu: 1, memory: 1}}, containers: [{}]}                                       | Burstable
            pod-level limits without memory      | {resources: {requests: {cpu: 1}, limits: {cpu: 1}}, containers: [{resources: {requests: {cpu: 1, memory: 1}, limits: {cpu: 1, memory: 1}}}]} | Burstable
            """)
    void theQosClassFollowsTheRulesOfKubernetes(String situation, String spec, String expected) throws IOException {
        assertThat(PodRules.qosClass(yaml(spec))).hasToString(expected);
    }

    @Test
    void refusesAnInvalidQuantity() {
        assertThatThrownBy(() -> PodRules.qosClass(yaml("{containers: [{resources: {limits: {memory: two}}}]}")))
                .isInstanceOf(ApiError.class)
                .hasMessageContaining("quantities must match the regular expression");
    }

    private static JsonNode yaml(String spec) throws IOException {
        return JsonText.parseYaml(spec.getBytes(StandardCharsets.UTF_8));
    }
}
