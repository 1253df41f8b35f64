package io.numaledger.kubectl.manifest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Texts as kubectl reads them. What the API server says about values is in {@link ManifestAcceptanceTest}. */
class ManifestsTest {

    private static String json(String name) {
        return """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"},
                 "spec": {"containers": [{"name": "c", "image": "i"}]}}""".formatted(name);
    }

    private static List<String> names(String text) throws IOException {
        List<String> names = new ArrayList<>();
        for (DescribedPod pod : Manifests.read(text, "team")) {
            names.add(pod.checked().pod().key());
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%s\n---\n%s",
                "%s\n--- # the second\n%s\n---\n",
                "---\n%s\n---\n%s",
                "%s%s",
                "# two pods\n---\n%s\n---\n# nothing\n---\n%s\n",
                "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [%s, %s]}",
                "{\"apiVersion\": \"v1\", \"kind\": \"PodList\", \"items\": [%s, %s]}",
                "apiVersion: v1\nkind: List\nitems:\n- %s\n- %s\n"
            })
    void readsSeveralObjects(String form) throws IOException {
        boolean block = form.contains("items:\n");
        String text = form.formatted(
                block ? json("a").replace("\n", "") : json("a"),
                block ? json("b").replace("\n", "") : json("b"));

        assertThat(names(text)).containsExactly("team/a", "team/b");
    }

    @Test
    void readsAnchorsAndWorkloadsUnderTheirNames() throws IOException {
        assertThat(names("""
                # a web server
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: other, labels: &labels {app: web}}
                spec:
                  selector: {matchLabels: *labels}
                  template:
                    metadata: {labels: *labels}
                    spec: {containers: [{name: c, image: i}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                ---
                apiVersion: example.com/v1
                kind: Training
                metadata: {name: t}
                spec: {speed: high, template: {spec: {containers: [{name: c, image: i}]}}}
                """)).containsExactly("other/web", "team/t");
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i, resorces: {}}]}} | not a usable Pod: name=p: unknown field "spec.containers[0].resorces"; did you mean resources?
            {apiVersion: v1, kind: Pod, metadata: {name: p}, specs: {}} | not a usable Pod: name=p: unknown field "specs"; did you mean spec?
            {apiVersion: example.com/v1, kind: Training, metadata: {name: t}, spec: {template: {spec: {container: []}}}} | not a usable Training: name=t: unknown field "spec.template.spec.container"; did you mean containers?
            {apiVersion: v2, kind: Pod, metadata: {name: p}} | not a usable Pod: name=p: no matches for kind "Pod" in version "v2"; use v1
            {kind: Pod, metadata: {name: p}} | not a usable Pod: name=p: apiVersion not set; did you mean v1?
            {apiVersion: v1, metadata: {name: p}} | not a usable object: name=p: kind not set
            {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: {name: c}}} | not a usable Pod: name=p: spec.containers: expected a list, found an object
            {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i, resources: {limits: {cpu: six}}}]}} | not a usable Pod: name=p: not a quantity: text='six'; expected a number with an optional suffix, such as 500m, 8 or 16Gi
            {"apiVersion": "v1", "kind": "Pod", "kind": "Pod"} | no JSON: Duplicate field 'kind' in line 1, column 45
            {"apiVersion": "v1", | no JSON: Unexpected end-of-input within/between Object entries in line 1, column 21
            {"apiVersion": "v1"] | no JSON: Unexpected close marker ']': expected '}' in line 1, column 20
            """)
    void saysWhatIsWrongWithoutNamesOfClasses(String text, String sentence) {
        assertThatThrownBy(() -> names(text))
                .isInstanceOf(IOException.class)
                .hasMessage(sentence)
                .message()
                .doesNotContainPattern("`|\\w+\\.\\w+\\.[A-Z]|Exception|Jackson|FAIL_ON");
    }
}
