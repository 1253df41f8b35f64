package io.numaledger.agent.metrics;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ApiRequestTest {

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(delimiter = '|', textBlock = """
            GET    | /api/v1/pods?fieldSelector=x                                           | 200 | list   | pods                   | ok
            GET    | /api/v1/pods?fieldSelector=x&watch=1                                   | 403 | watch  | pods                   | forbidden
            GET    | /api/v1/nodes/a                                                        | 0   | get    | nodes                  | unreachable
            PATCH  | /api/v1/namespaces/a/pods/b?fieldManager=m                             | 409 | patch  | pods                   | conflict
            PATCH  | /api/v1/namespaces/a/pods/b/status                                     | 429 | patch  | pods/status            | throttled
            PATCH  | /apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/a?force=true| 500 | patch  | noderesourcetopologies | refused
            DELETE | /apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/a           | 404 | delete | noderesourcetopologies | gone
            """)
    void saysInKubernetesWordsWhatWasAsked(
            String method, String path, int status, String verb, String resource, String result) {
        assertThat(ApiRequest.of(method, path, status)).isEqualTo(new ApiRequest(verb, resource, result));
    }
}
