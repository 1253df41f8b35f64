package io.numaledger.bridge.explain;

import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which pods an answer may name. What other pods hold is told without their names.
 *
 * @param namespaces whether the pods of a namespace may be named
 */
public record PodNames(Predicate<String> namespaces) {

    public static final PodNames ALL = new PodNames(any -> true);

    private static final Pattern POD = Pattern.compile("pod=([^\\s;,:]+/[^\\s;,:]+)");
    private static final String HIDDEN = "a pod of another namespace";

    /** @param pod {@code namespace/name}; what is held by nobody known has no namespace, and is shown */
    public boolean shows(String pod) {
        int slash = pod.indexOf('/');
        return slash < 0 || namespaces.test(pod.substring(0, slash));
    }

    String text(String pod) {
        return shows(pod) ? pod : HIDDEN;
    }

    /** A text without the names of pods that may not be shown, which it has as {@code pod=namespace/name}. */
    String redacted(String text) {
        return POD.matcher(text)
                .replaceAll(pod -> Matcher.quoteReplacement(shows(pod.group(1)) ? pod.group() : HIDDEN));
    }
}
