package io.numaledger.simulator.demo;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** The pods of the demo. */
final class DemoPods {

    record Wanted(String name, boolean burstable, Map<String, String> resources) {}

    private DemoPods() {}

    static List<Wanted> read() throws IOException {
        try (InputStream yaml = DemoPods.class.getResourceAsStream("pods.yaml")) {
            Map<String, List<Wanted>> file =
                    new ObjectMapper(new YAMLFactory()).readValue(yaml, new TypeReference<>() {});
            return requireNonNull(file.get("pods"));
        }
    }

    static Pod pod(Wanted wanted) {
        Map<String, Quantity> limits = new TreeMap<>();
        Map<String, Quantity> requests = new TreeMap<>();
        wanted.resources().forEach((name, amount) -> {
            requests.put(name, new Quantity(amount));
            if (!wanted.burstable() || name.contains("/")) {
                limits.put(name, new Quantity(amount));
            }
        });
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(wanted.name())
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("simulated")
                .withNewResources()
                .withRequests(requests)
                .withLimits(limits)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }
}
