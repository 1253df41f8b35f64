package io.numaledger.kubectl.client;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Names that a cluster has, for errors about names that it does not have. What the user may not list is left out. */
public final class ExistingNames {

    /** The most names of a list: enough for a proposal, and soon read. */
    private static final int MOST = 500;

    private final Kubectl kubectl;

    public ExistingNames(Kubectl kubectl) {
        this.kubectl = kubectl;
    }

    /** An error for a pod that was not found, or for its namespace. */
    public UnknownNameException unknownPod(String key) {
        String namespace = key.substring(0, key.indexOf('/'));
        if (!mayExist(namespace)) {
            return unknownNamespace(namespace);
        }
        List<String> known = list("/api/v1/namespaces/" + namespace + "/pods");
        known.addAll(list("/api/v1/pods"));
        return UnknownNameException.pod(key, known);
    }

    public UnknownNameException unknownNamespace(String name) {
        return UnknownNameException.namespace(name, list("/api/v1/namespaces"));
    }

    /** False only if the API server says that there is no such namespace. */
    public boolean mayExist(String namespace) {
        try {
            kubectl.get("/api/v1/namespaces/" + namespace);
            return true;
        } catch (KubectlException e) {
            return e.reason() != KubectlException.Reason.NOT_FOUND;
        } catch (IOException unknown) {
            return true;
        }
    }

    private List<String> list(String path) {
        List<String> names = new ArrayList<>();
        try {
            for (JsonNode item : kubectl.get(path + "?limit=" + MOST).path("items")) {
                String namespace = item.at("/metadata/namespace").asText();
                names.add((namespace.isEmpty() ? "" : namespace + "/")
                        + item.at("/metadata/name").asText());
            }
        } catch (IOException notForThisUser) {
            return names;
        }
        return names;
    }
}
