package io.numaledger.agent.sysfs;

import java.util.List;
import java.util.regex.Pattern;

/** Directory names made of a word and a kernel id, such as {@code node0} or {@code cpu12}. */
final class NumberedNames {

    private static final Pattern CANONICAL_ID = Pattern.compile("0|[1-9][0-9]{0,6}");

    private NumberedNames() {}

    /** The ids of the names that are the word and a number as the kernel writes it, ascending, each once. */
    static List<Integer> ids(String word, List<String> names) {
        return names.stream()
                .filter(name -> name.startsWith(word))
                .map(name -> name.substring(word.length()))
                .filter(id -> CANONICAL_ID.matcher(id).matches())
                .map(Integer::valueOf)
                .sorted()
                .toList();
    }

    /**
     * The names that look like such a directory and hold an id that no kernel writes, sorted: negative ({@code node-1}),
     * a second spelling of another ({@code node01}), or beyond any machine.
     */
    static List<String> malformed(String word, List<String> names) {
        return names.stream()
                .filter(name -> name.startsWith(word))
                .filter(name -> name.substring(word.length()).matches("[-+]?[0-9]+"))
                .filter(name ->
                        !CANONICAL_ID.matcher(name.substring(word.length())).matches())
                .sorted()
                .toList();
    }
}
