package io.numaledger.evaluation.holder;

import io.numaledger.text.ControlCharacters;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Writes texts for a reader, who may read the names of some pods. What other pods hold is told without their names. Control characters
 * are written as escapes.
 *
 * @param namespaces whether the pods of a namespace may be named
 */
public record PodNames(Predicate<String> namespaces) {

    /** The names for callers who may read all pods. */
    public static final PodNames ALL = new PodNames(any -> true);

    private static final int MAX_NAMED = 3;

    /** The names for callers who read one namespace, such as the events of a pod. */
    public static PodNames of(String namespace) {
        return new PodNames(namespace::equals);
    }

    /** Whether the holder may be named. Those that are no single pod have no name to hide. */
    public boolean shows(Holder holder) {
        return holder.namespace().filter(namespaces.negate()).isEmpty();
    }

    /** A holder, with its name if this reader may read it. */
    public String text(Holder holder) {
        return ControlCharacters.escaped(shows(holder) ? holder.toString() : holder.withoutName());
    }

    /** A sentence. */
    public String text(Sentence sentence) {
        return ControlCharacters.escaped(
                sentence.parts().stream().map(part -> part.text(this)).collect(Collectors.joining()));
    }

    /** The first holders by name, and how many more there are. */
    String list(List<Holder> holders) {
        List<String> named =
                holders.stream().filter(this::shows).map(this::text).sorted().toList();
        List<String> texts = new ArrayList<>(named.subList(0, Math.min(MAX_NAMED, named.size())));
        List<Holder> hidden = holders.stream().filter(holder -> !shows(holder)).toList();
        if (hidden.size() > 1) {
            texts.add("%d pods of other namespaces".formatted(hidden.size()));
        }
        hidden.stream()
                .limit(hidden.size() == 1 ? 1 : 0)
                .map(Holder::withoutName)
                .forEach(texts::add);
        int more = named.size() - MAX_NAMED;
        return String.join(", ", texts) + (more > 0 ? " and %d more".formatted(more) : "");
    }
}
