package io.numaledger.kubectl.manifest;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The API server's rules for the names of a pod and of its containers, with its own words: pkg/apis/core/validation/validation.go in Kubernetes. */
final class PodRules {

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern SUBDOMAIN =
            Pattern.compile("(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final List<String> RESTARTS = List.of("Always", "Never", "OnFailure");

    private final List<String> broken = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    private PodRules() {}

    /** The rules that a pod breaks, a sentence each. */
    static List<String> broken(JsonNode pod) {
        PodRules rules = new PodRules();
        rules.name(pod.path("metadata"));
        JsonNode spec = pod.path("spec");
        if (spec.path("containers").isEmpty()) {
            rules.broken.add("spec.containers: Required value");
        }
        for (String list : List.of("containers", "initContainers")) {
            for (int index = 0; index < spec.path(list).size(); index++) {
                rules.container(
                        "spec.%s[%d]".formatted(list, index), spec.path(list).path(index));
            }
        }
        return rules.broken;
    }

    private void name(JsonNode metadata) {
        String name = metadata.path("name").asText("");
        if (name.isEmpty() && metadata.path("generateName").asText("").isEmpty()) {
            broken.add("metadata.name: Required value: name or generateName is required");
        } else if (!name.isEmpty() && !SUBDOMAIN.matcher(name).matches()) {
            broken.add(
                    "metadata.name: Invalid value: \"%s\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
                            .formatted(name));
        }
    }

    private void container(String path, JsonNode container) {
        String name = container.path("name").asText("");
        if (name.isEmpty()) {
            broken.add(path + ".name: Required value");
        } else if (!LABEL.matcher(name).matches()) {
            broken.add(
                    "%s.name: Invalid value: \"%s\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
                            .formatted(path, name));
        } else if (!names.add(name)) {
            broken.add("%s.name: Duplicate value: \"%s\"".formatted(path, name));
        }
        if (container.path("image").asText("").isEmpty()) {
            broken.add(path + ".image: Required value");
        }
        String restart = container.path("restartPolicy").asText("Always");
        if (!RESTARTS.contains(restart)) {
            broken.add("%s.restartPolicy: Unsupported value: \"%s\": supported values: \"%s\""
                    .formatted(path, restart, String.join("\", \"", RESTARTS)));
        }
    }
}
