package io.numaledger.kubelet.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks up enum constants by the spelling of the kubelet's configuration, which is their {@code toString()}. */
final class Spellings {

    private Spellings() {}

    static <E extends Enum<E>> Optional<E> find(Class<E> type, String text) {
        return Stream.of(type.getEnumConstants())
                .filter(each -> each.toString().equals(text))
                .findFirst();
    }

    /** @throws IllegalArgumentException naming the field and the text, when no constant is spelled like this */
    static <E extends Enum<E>> E parse(Class<E> type, String field, String text) {
        return find(type, text)
                .orElseThrow(() -> new IllegalArgumentException("unknown value: %s='%s'; use one of %s"
                        .formatted(field, text, List.of(type.getEnumConstants()))));
    }
}
