package io.numaledger.objects;

import io.numaledger.text.ControlCharacters;

import java.util.ArrayList;
import java.util.List;

/** What of an object cannot be read: the first few problems as sentences, and how many more there are. */
final class ReadingProblems {

    private static final int MAX_SENTENCES = 5;
    private static final int MAX_CHARACTERS = 120;

    private final List<String> sentences = new ArrayList<>();
    private int more;

    /** @param value what it is about, such as a name that somebody chose */
    void add(String sentence, String value) {
        if (sentences.size() == MAX_SENTENCES) {
            more++;
        } else {
            sentences.add(sentence.formatted(shown(value)));
        }
    }

    private static String shown(String value) {
        return ControlCharacters.escaped(
                value.length() > MAX_CHARACTERS ? value.substring(0, MAX_CHARACTERS) + "…" : value);
    }

    List<String> sentences() {
        List<String> all = new ArrayList<>(sentences);
        if (more > 0) {
            all.add("%d more".formatted(more));
        }
        return all;
    }
}
