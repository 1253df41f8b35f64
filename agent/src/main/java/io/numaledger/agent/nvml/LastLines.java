package io.numaledger.agent.nvml;

import io.numaledger.text.ControlCharacters;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The last lines that a process has written, which say why it ended. */
final class LastLines {

    private static final int KEPT = 32;
    private static final int TOLD = 3;
    private static final int MAX_LENGTH = 200;

    /** Two lines of Java's own message: {@code #  SIGSEGV (0xb) at pc=…} and {@code # C  [libnvidia-ml.so.1+0x1234]  …}. */
    private static final Pattern SIGNAL = Pattern.compile("# +(SIG[A-Z]+) .*");

    private static final Pattern FRAME = Pattern.compile("# [A-Za-z] +\\[([^]]+)].*");

    private final Deque<String> lines = new ArrayDeque<>();

    void add(String line) {
        if (line.isBlank() || line.equals("#")) {
            return;
        }
        if (lines.size() == KEPT) {
            lines.removeFirst();
        }
        lines.addLast(ControlCharacters.escaped(line.substring(0, Math.min(line.length(), MAX_LENGTH))));
    }

    /** The signal and the code that caused it, such as {@code SIGSEGV in libnvidia-ml.so.1+0x1234}; absent where Java reported none. */
    Optional<String> crash() {
        return first(SIGNAL)
                .map(signal -> signal + first(FRAME).map(" in "::concat).orElse(""));
    }

    private Optional<String> first(Pattern pattern) {
        return lines.stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .findFirst();
    }

    /** The last three lines, for the end of a sentence; empty if there are none. */
    String told() {
        List<String> last =
                lines.stream().skip(Math.max(0, lines.size() - TOLD)).toList();
        return last.isEmpty() ? "" : " last=" + String.join(" / ", last);
    }
}
