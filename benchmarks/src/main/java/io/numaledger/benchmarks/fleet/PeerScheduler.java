package io.numaledger.benchmarks.fleet;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Another scheduler that is compared with the bridge, such as a kube-scheduler with further plugins.
 *
 * @param name as it is printed
 * @param program its binary, which takes the flags of kube-scheduler
 * @param configuration a KubeSchedulerConfiguration. How it reaches the API server, and that it elects no leader, is set here
 */
record PeerScheduler(
        @JsonProperty(required = true) String name,
        @JsonProperty(required = true) Path program,
        @JsonProperty(required = true) ObjectNode configuration) {

    private static final YAMLMapper YAML = new YAMLMapper();

    /** @throws IOException with the file and what is wrong with it */
    static PeerScheduler read(Path file) throws IOException {
        try {
            return YAML.readValue(file.toFile(), PeerScheduler.class);
        } catch (IOException e) {
            throw new IOException(
                    "not a description of a scheduler: file=%s; it needs name, program and configuration: %s"
                            .formatted(file, e.getMessage()),
                    e);
        }
    }

    /** @param percentage of the nodes that it looks at; 0: as its configuration says */
    String configuration(ServedFleet fleet, int percentage) {
        ObjectNode all = configuration.deepCopy();
        ObjectNode connection = all.putObject("clientConnection")
                .put("kubeconfig", fleet.kubeconfig().toString())
                .put("qps", 500)
                .put("burst", 1000);
        if (fleet.serverCpuMillis().isEmpty()) {
            connection.put("contentType", "application/json");
        }
        all.putObject("leaderElection").put("leaderElect", false);
        if (percentage != 0) {
            all.put("percentageOfNodesToScore", percentage);
        }
        return all.toString();
    }
}
