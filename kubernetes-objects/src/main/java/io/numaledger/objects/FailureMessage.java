package io.numaledger.objects;

import io.numaledger.evaluation.facts.PodPhase;
import io.numaledger.text.ControlCharacters;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The sentence in the status of a failed pod, such as what a device plugin said when its kubelet asked it for devices. It is foreign text: it
 * becomes one short line without control characters, and it does not name the pod, because it is shown to owners of equal pods.
 */
public final class FailureMessage {

    /** The most characters of a message; of a device plugin's error, the begin says what it is. */
    private static final int MOST_CHARACTERS = 250;

    /** Longer texts are not read to their end. */
    private static final int MOST_READ = 1000;

    /** How each begins; pkg/kubelet/kubelet.go, rejectPod. */
    private static final String REJECTED = "Pod was rejected: ";

    private static final Pattern SPACES = Pattern.compile("\\s+");

    private FailureMessage() {}

    static Optional<String> of(PodObject.Status status, String namespace, String name) {
        return of(status.phase(), status.message(), namespace, name);
    }

    /** @param phase only that of a failed pod has such a message */
    public static Optional<String> of(String phase, String message, String namespace, String name) {
        if (!phase.equals(PodPhase.FAILED.toString())) {
            return Optional.empty();
        }
        String text = message.startsWith(REJECTED) ? message.substring(REJECTED.length()) : message;
        String line = SPACES.matcher(shortened(text, MOST_READ)).replaceAll(" ").strip();
        String unnamed = Pattern.compile(
                        "(?<![\\w.-])(%s/)?%s(?![\\w.-])".formatted(Pattern.quote(namespace), Pattern.quote(name)))
                .matcher(line)
                .replaceAll("POD");
        return Optional.of(shortened(ControlCharacters.escaped(unnamed), MOST_CHARACTERS))
                .filter(any -> !any.isEmpty());
    }

    private static String shortened(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(most - 2)) ? most - 2 : most - 1;
        return text.substring(0, end) + "\u2026";
    }
}
