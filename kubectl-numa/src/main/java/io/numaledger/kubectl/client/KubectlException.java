package io.numaledger.kubectl.client;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** kubectl ended with an error. The message is kubectl's own. */
public final class KubectlException extends IOException {

    private static final long serialVersionUID = 1;
    private static final Pattern FROM_SERVER = Pattern.compile("Error from server \\((\\w+)\\): (.*)", Pattern.DOTALL);

    /** kubectl's address of a cluster if it has none. */
    private static final String NO_CLUSTER = "The connection to the server localhost:8080 was refused";

    /** What the API server answered. */
    public enum Reason {
        NOT_FOUND,
        FORBIDDEN,
        UNAVAILABLE,
        /** The resourceVersion of a watch is not known any more. */
        EXPIRED,
        /** Anything else, or no answer. */
        OTHER
    }

    private final Reason reason;

    private KubectlException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** @param error as kubectl prints it */
    static KubectlException of(String error) {
        if (error.contains(NO_CLUSTER)) {
            return new KubectlException(
                    Reason.OTHER, "kubectl knows no cluster; set KUBECONFIG, or give --kubeconfig or --context");
        }
        Matcher answer = FROM_SERVER.matcher(error);
        if (!answer.matches()) {
            return new KubectlException(Reason.OTHER, error);
        }
        Reason reason = switch (String.valueOf(answer.group(1))) {
            case "NotFound" -> Reason.NOT_FOUND;
            case "Forbidden" -> Reason.FORBIDDEN;
            case "ServiceUnavailable" -> Reason.UNAVAILABLE;
            case "Expired" -> Reason.EXPIRED;
            default -> Reason.OTHER;
        };
        return new KubectlException(reason, String.valueOf(answer.group(2)));
    }

    public Reason reason() {
        return reason;
    }

    /** The first line of what they said. kubectl writes one for each type of object. */
    public String line() {
        return text().lines().findFirst().orElse("");
    }

    /** What kubectl or the API server said, without an exception's nulls. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
