package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** The values of the chart, their schema and their reference. To write the reference: -Dnumaledger.update=true. */
class ValuesTest {

    private static final Path REFERENCE = Helm.ROOT.resolve("docs/reference/values.md");

    @Test
    void theReferenceListsTheValues() throws IOException {
        String generated = values().markdown();
        if (Boolean.getBoolean("numaledger.update")) {
            Files.writeString(REFERENCE, generated);
        }
        assertThat(Files.readString(REFERENCE))
                .as("the reference is generated: run this test with -Dnumaledger.update=true")
                .isEqualTo(generated);
    }

    @Test
    void everyValueIsExplained() throws IOException {
        assertThat(values().values())
                .allSatisfy(
                        value -> assertThat(value.meaning()).as(value.path()).isNotBlank());
    }

    @Test
    void theSchemaKnowsTheSameKeys() throws IOException {
        JsonNode schema =
                Helm.YAML.readTree(Helm.CHART.resolve("values.schema.json").toFile());
        SortedSet<String> sections = new TreeSet<>();
        SortedSet<String> leaves = new TreeSet<>();
        for (ValuesTable.Value value : values().values()) {
            (value.standard().isEmpty() ? sections : leaves).add(value.path());
        }
        SortedSet<String> known = new TreeSet<>();
        collect(schema, schema, "", sections, known);
        known.remove("global"); // of Helm itself

        assertThat(known).isEqualTo(leaves);
    }

    /** The keys of the schema that have no section in values.yaml; each section is closed. */
    private static void collect(
            JsonNode schema, JsonNode root, String path, SortedSet<String> sections, SortedSet<String> found) {
        JsonNode resolved =
                schema.has("$ref") ? root.at(schema.get("$ref").asText().substring(1)) : schema;
        if (!path.isEmpty() && !sections.contains(path)) {
            found.add(path);
            return;
        }
        assertThat(resolved.path("additionalProperties").isBoolean())
                .as("additionalProperties of %s", path)
                .isTrue();
        assertThat(resolved.get("additionalProperties").asBoolean()).as(path).isFalse();
        for (Map.Entry<String, JsonNode> property : resolved.get("properties").properties()) {
            String name = path.isEmpty() ? property.getKey() : path + "." + property.getKey();
            collect(property.getValue(), root, name, sections, found);
        }
    }

    private static ValuesTable values() throws IOException {
        return ValuesTable.parse(Files.readString(Helm.CHART.resolve("values.yaml")));
    }

    /** As helm sees it. */
    @Nested
    class Rejects {

        private static Helm helm;

        @BeforeAll
        static void find() {
            helm = Helm.find();
        }

        @ParameterizedTest(name = "{0}")
        @CsvSource(delimiter = '|', textBlock = """
                '{"mod": "kai"}'                                      | mod
                '{"mode": "extender"}'                                | /mode
                '{"bridge": {"enabled": true}}'                       | enabled
                '{"bridge": {"replica": 3}}'                          | replica
                '{"bridge": {"replicas": "three"}}'                   | /bridge/replicas
                '{"bridge": {"certificates": "certmanager"}}'         | /bridge/certificates
                '{"bridge": {"clientNames": []}}'                     | /bridge/clientNames
                '{"bridge": {"extraArgs": ["scoring"]}}'              | /bridge/extraArgs
                '{"bridge": {"gpuLinks": {"preferences": {"nvidia.com/gpu": "links"}}}}' | /bridge/gpuLinks/preferences
                '{"bridge": {"referencePods": [{"name": "A", "requests": {"cpu": 1}}]}}' | /bridge/referencePods
                '{"bridge": {"referencePods": [{"name": "a", "requests": {}}]}}' | /bridge/referencePods
                '{"agent": {"port": 70000}}'                          | /agent/port
                '{"agent": {"nrtProfile": "rtee"}}'                   | /agent/nrtProfile
                '{"agent": {"kubelet": {"insecureTLS": true}}}'       | insecureTLS
                '{"agent": {"tolerations": [{"operater": "Exists"}]}}' | operater
                '{"agent": {"resources": {"request": {}}}}'           | request
                '{"agent": {"nodePools": [{"nodeSelector": {}}]}}'    | name
                '{"agent": {"nodePools": [{"name": "a", "args": []}]}}' | args
                '{"agent": {"sysfsDirectory": "sys"}}'                | /agent/sysfsDirectory
                '{"scheduler": {"image": {"version": "v1"}}}'         | version
                '{"scheduler": {"percentageOfNodesToScore": 101}}'    | /scheduler/percentageOfNodesToScore
                '{"scheduler": {"affinity": {"nodeAfinity": {}}}}'    | nodeAfinity
                '{"image": {"pullPolicy": "always"}}'                 | /image/pullPolicy
                '{"protectRecords": {"accounts": ["binder"]}}'        | /protectRecords/accounts
                '{"agent": {"config": {"resourceExclud": {"*": ["cpu"]}}}}' | resourceExclud
                '{"agent": {"config": {"resourceExclude": ["cpu"]}}}' | /agent/config/resourceExclude
                '{"agent": {"config": {"resourceExclude": {"*": "cpu"}}}}' | /agent/config/resourceExclude
                '{"agent": {"config": {"podExclude": [{"namePattern": "a*"}]}}}' | namespacePattern
                '{"agent": {"config": {"podExclude": [{"namespacePattern": "a", "namePattern": "a", "name": "a"}]}}}' | name
                '{"agent": {"config": {"deviceRename": {"*": {"a/b": 1}}}}}' | /agent/config/deviceRename
                '{"bridge": {"networkPolicy": {"clients": [{"ipBlok": {}}]}}}' | ipBlok
                '{"bridge": {"resources": {"limits": {"memory": "1 Gi"}}}}' | /bridge/resources/limits
                '{"agent": {"affinity": {"nodeAffinity": {"required": {}}}}}' | required
                """)
        void misspeltAndInvalidValues(String values, String named, @TempDir Path directory)
                throws IOException, InterruptedException {
            Path file = Files.writeString(directory.resolve("values.json"), values);
            Helm.Result result = helm.tryTemplate("--values=" + file);
            assertThat(result.status()).isNotZero();
            assertThat(result.output())
                    .contains("values don't meet the specifications")
                    .contains(named);
        }

        /** Values that would silently do nothing. */
        @ParameterizedTest(name = "{0}")
        @CsvSource(delimiter = '|', textBlock = """
                bridge.groups.addGate=true                    | no effect without groups; set bridge.groups.enabled=true
                bridge.groups.preempt=true                    | no effect without groups; set bridge.groups.enabled=true
                mode=kai,bridge.groups.enabled=true           | no effect with mode=kai, which has no bridge
                mode=kai,bridge.evictForZones=true            | no effect with mode=kai, which has no bridge
                mode=kai,bridge.giveBackClaims=true           | no effect with mode=kai, which has no bridge
                mode=kai,bridge.healMisaligned.enabled=true   | no effect with mode=kai, which has no bridge
                mode=kai,bridge.nodePoolLabel=pool            | no effect with mode=kai, which has no bridge
                mode=kai,bridge.gpuLinks.namespaceDefaults=true | no effect with mode=kai, which has no bridge
                mode=kai,agent.port=0,monitoring.podMonitor.enabled=true | monitoring.podMonitor.enabled finds nothing to scrape
                agent.port=0,monitoring.rules.enabled=true    | monitoring.rules.enabled would alert at once
                bridge.tlsSecret=mine                         | bridge.tlsSecret has no effect with bridge.certificates=auto
                bridge.aggregatedApi.caBundle=YQ==            | bridge.aggregatedApi.caBundle has no effect with bridge.certificates=auto
                bridge.networkPolicy.enabled=false,bridge.networkPolicy.clients[0].ipBlock.cidr=10.0.0.0/8 | no effect without the policy
                protectRecords.enabled=false,protectRecords.accounts[0]=system:serviceaccount:a:b | protectRecords.accounts has no effect
                agent.kubelet.insecureTls=true,agent.kubelet.caConfigMap=ca | agent.kubelet.caConfigMap has no effect
                """)
        void valuesWithoutEffect(String values, String sentence) throws IOException, InterruptedException {
            Helm.Result result = helm.tryTemplate("--set=" + values);

            assertThat(result.status()).isNotZero();
            assertThat(result.output()).contains(sentence).doesNotContain("meet the specifications");
        }

        @Test
        void noReferencePodsAndWritesTheirNumbersInFull() throws IOException, InterruptedException {
            assertThat(helm.template(
                            "--set-json=bridge.referencePods=[{\"name\": \"a\", \"requests\": {\"cpu\": 0.5, \"memory\": 137438953472, "
                                    + "\"nvidia.com/gpu\": \"2\"}, \"gpuLinks\": \"required\"}]"))
                    .contains("- --reference-pod=a:cpu=0.5,memory=137438953472,nvidia.com/gpu=2,gpu-links=required\n");
        }

        @Test
        void noneOfTheAgentsKeys() throws IOException, InterruptedException {
            helm.template(
                    "--set-json=agent.config={\"resourceExclude\": {\"*\": [\"cpu\"]}, \"excludeList\": {\"n\": [\"memory\"]}, "
                            + "\"podExclude\": [{\"namespacePattern\": \"a\", \"namePattern\": \"*\"}], "
                            + "\"deviceRename\": {\"*\": {\"a.example/b\": \"c.example/d\"}}}");
        }

        @Test
        void inLintToo() throws IOException, InterruptedException {
            Helm.Result result = helm.run(List.of("lint", "--strict", "--set=bridge.replica=1", Helm.CHART.toString()));
            assertThat(result.status()).isNotZero();
            assertThat(result.output()).contains("replica");
        }
    }
}
