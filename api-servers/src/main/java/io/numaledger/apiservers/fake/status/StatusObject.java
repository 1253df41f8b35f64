package io.numaledger.apiservers.fake.status;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;

/** The {@code Status} object of the Kubernetes API, which reports the outcome of a request. */
public final class StatusObject {

    private StatusObject() {}

    public static ObjectNode success() {
        return of("Success");
    }

    static ObjectNode failure() {
        return of("Failure");
    }

    private static ObjectNode of(String outcome) {
        ObjectNode status = JsonText.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return status.put("status", outcome);
    }
}
