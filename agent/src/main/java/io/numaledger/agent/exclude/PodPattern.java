package io.numaledger.agent.exclude;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Pods by namespace and name, both as shell patterns: {@code *} any characters, {@code ?} one, {@code [a-c]} one of these. Both must
 * match the whole.
 */
public record PodPattern(String namespacePattern, String namePattern) {

    public PodPattern {
        compiled(namespacePattern);
        compiled(namePattern);
    }

    /**
     * Reads {@code NAMESPACE/NAME}.
     *
     * @throws IllegalArgumentException if it is invalid; the message has an example
     */
    public static PodPattern parse(String text) {
        int slash = text.indexOf('/');
        if (slash <= 0 || slash == text.length() - 1) {
            throw new IllegalArgumentException(
                    "'%s' is no pattern of pods; expected NAMESPACE/NAME such as kube-system/* or */debug-?"
                            .formatted(text));
        }
        return new PodPattern(text.substring(0, slash), text.substring(slash + 1));
    }

    public boolean matches(String namespace, String name) {
        return compiled(namespacePattern).matcher(namespace).matches()
                && compiled(namePattern).matcher(name).matches();
    }

    private static Pattern compiled(String glob) {
        if (glob.isBlank()) {
            throw new IllegalArgumentException("a pattern of pods is empty; expected * for all of them");
        }
        StringBuilder regex = new StringBuilder();
        boolean inSet = false;
        for (int i = 0; i < glob.length(); i++) {
            char letter = glob.charAt(i);
            inSet = letter == '[' || (inSet && letter != ']');
            if (inSet || letter == ']') {
                regex.append(letter);
            } else {
                regex.append(
                        switch (letter) {
                            case '*' -> ".*";
                            case '?' -> ".";
                            default -> Pattern.quote(String.valueOf(letter));
                        });
            }
        }
        try {
            return Pattern.compile(regex.toString());
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "'%s' is no shell pattern: %s; expected such as app-* or [a-c]?"
                            .formatted(glob, e.getDescription()),
                    e);
        }
    }
}
