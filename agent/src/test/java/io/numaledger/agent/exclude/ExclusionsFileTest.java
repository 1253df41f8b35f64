package io.numaledger.agent.exclude;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.agent.metrics.AgentMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ExclusionsFileTest {

    @TempDir
    private Path directory;

    @Test
    void readsTheKeysOfBothExportersForThisNodeAndForAll() throws IOException {
        Exclusions read = of("""
                resourceExclude:
                  "*": [hugepages-2Mi]
                  worker: [example.com/nic]
                  other: [memory]
                excludeList:
                  worker: [cpu]
                podExclude:
                - namespacePattern: "kube-*"
                  namePattern: "*"
                - {namespacePattern: default, namePattern: "app-[ab]?"}
                deviceRename:
                  worker: {nvidia.com/gpu.shared: nvidia.com/gpu}
                """).current();

        assertThat(read.resources()).containsExactly("cpu", "example.com/nic", "hugepages-2Mi");
        assertThat(read.renamed()).isEqualTo(Map.of("nvidia.com/gpu.shared", "nvidia.com/gpu"));
        assertThat(read.excludesPod("kube-system", "proxy")).isTrue();
        assertThat(read.excludesPod("default", "app-a1")).isTrue();
        assertThat(read.excludesPod("default", "app-c1")).isFalse();
        assertThat(read.excludesPod("default", "app-a")).isFalse();
    }

    @Test
    void anEmptyFileExcludesNothing() throws IOException {
        assertThat(of("").current()).isEqualTo(Exclusions.NONE);
    }

    @Test
    void addsWhatFlagsSayAndTheirNamesWin() throws IOException {
        Exclusions flags = new Exclusions(
                new TreeSet<>(List.of("cpu")),
                List.of(PodPattern.parse("a/*")),
                new TreeMap<>(Map.of("e.com/x", "e.com/flag")));
        Path file = write("resourceExclude: {'*': [memory]}\ndeviceRename: {'*': {e.com/x: e.com/file}}\n");

        Exclusions both = new ExclusionsFile(file, "worker", flags).current();

        assertThat(both.resources()).containsExactly("cpu", "memory");
        assertThat(both.renamed()).containsEntry("e.com/x", "e.com/flag");
        assertThat(both.excludesPod("a", "b")).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a key that nobody knows    | podsExclude: []                      | podsExclude is no key; expected resourceExclude, excludeList, podExclude or deviceRename
            RTE's kubelet block        | kubelet: {topologyManagerPolicy: a}  | kubelet is not read here; give --kubelet-config, --topology-manager-policy and --topology-manager-scope
            a list and not by node     | resourceExclude: [cpu]               | resourceExclude is no mapping; see the example in docs/operate.md of the source code
            a resource and not a list  | resourceExclude: {'*': cpu}          | resourceExclude is no list; see the example in docs/operate.md of the source code
            half a pattern             | podExclude: [{namespacePattern: a}]  | podExclude[].namePattern is missing or no text; expected such as '*'
            another pattern            | podExclude: [{podPattern: a}]        | podExclude[].podPattern is no key; expected namespacePattern and namePattern
            a set without an end       | podExclude: [{namespacePattern: '[a', namePattern: b}] | '[a' is no shell pattern: Unclosed character class; expected such as app-* or [a-c]?
            cpu under another name     | deviceRename: {'*': {cpu: e.com/c}}  | 'cpu' cannot be renamed or be a new name; expected a device's resource such as example.com/nic
            a number of nothing        | 7                                    | the document is no mapping; see the example in docs/operate.md of the source code
            """)
    void saysWhatIsWrongAndWhatIsExpected(String what, String text, String why) throws IOException {
        Path file = write(text);

        assertThatThrownBy(() -> new ExclusionsFile(file, "worker", Exclusions.NONE))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot use the configuration: file=%s: %s", file, why);
    }

    @Test
    void saysThatTheFileIsMissing() {
        Path file = directory.resolve("none.yaml");
        assertThatThrownBy(() -> new ExclusionsFile(file, "worker", Exclusions.NONE))
                .hasMessage("cannot read the configuration: file=%s does not exist; check --config", file);
    }

    @Test
    void readsAChangedFileAgainAndOnce() throws IOException {
        ExclusionsFile file = of("resourceExclude: {'*': [cpu]}\n");
        assertThat(file.changed()).isFalse();
        write("resourceExclude: {'*': [cpu, memory]}\n");

        assertThat(file.changed()).isTrue();
        assertThat(file.current().resources()).containsExactly("cpu", "memory");
        assertThat(file.changed()).isFalse();
    }

    @Test
    void keepsTheLastGoodOneOverAWrongAndAMissingFile() throws IOException {
        ExclusionsFile file = of("resourceExclude: {'*': [cpu]}\n");

        write("resourceExclude: nonsense\n");
        assertThat(file.current().resources()).containsExactly("cpu");
        assertThat(file.changed()).isFalse();
        Files.delete(directory.resolve("config.yaml"));
        assertThat(file.current().resources()).containsExactly("cpu");
        write("resourceExclude: {'*': [memory]}\n");
        assertThat(file.current().resources()).containsExactly("memory");
    }

    @Test
    void tellsInAMetricWhetherTheFileIsInForce() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ExclusionsFile file = of("resourceExclude: {'*': [cpu]}\n");
        new AgentMetrics(registry).configuration(file::accepted);
        assertThat(registry.scrape()).contains("\nnumaledger_agent_config_last_reload_successful 1.0\n");

        write("resourceExclude: nonsense\n");
        file.current();
        assertThat(registry.scrape()).contains("\nnumaledger_agent_config_last_reload_successful 0.0\n");

        write("resourceExclude: {'*': [memory]}\n");
        file.current();
        assertThat(registry.scrape()).contains("\nnumaledger_agent_config_last_reload_successful 1.0\n");
    }

    /** A ConfigMap's file is a link into a directory that another link names, and that one is replaced. */
    @Test
    void seesAConfigMapThatWasReplaced() throws IOException {
        Files.createDirectory(directory.resolve("v1"));
        Files.createDirectory(directory.resolve("v2"));
        Files.writeString(directory.resolve("v1/config.yaml"), "resourceExclude: {'*': [aaa]}\n");
        Files.writeString(directory.resolve("v2/config.yaml"), "resourceExclude: {'*': [bbb]}\n");
        Files.setLastModifiedTime(
                directory.resolve("v2/config.yaml"), Files.getLastModifiedTime(directory.resolve("v1/config.yaml")));
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("v1"));
        Path mounted = Files.createSymbolicLink(directory.resolve("config.yaml"), Path.of("..data/config.yaml"));
        ExclusionsFile file = new ExclusionsFile(mounted, "worker", Exclusions.NONE);

        Files.delete(directory.resolve("..data"));
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("v2"));

        assertThat(file.changed()).isTrue();
        assertThat(file.current().resources()).containsExactly("bbb");
    }

    private ExclusionsFile of(String text) throws IOException {
        return new ExclusionsFile(write(text), "worker", Exclusions.NONE);
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("config.yaml"), text);
    }
}
