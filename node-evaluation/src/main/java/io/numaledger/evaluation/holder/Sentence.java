package io.numaledger.evaluation.holder;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A text for people that may be about pods. {@link PodNames} writes it for a reader. */
public record Sentence(List<Part> parts) {

    /** A part of a sentence. */
    public sealed interface Part {

        /** @param names what the reader may know */
        String text(PodNames names);
    }

    /** Words that name no pod. */
    record Words(String text) implements Part {

        @Override
        public String text(PodNames names) {
            return text;
        }
    }

    /** Pods in a list, of which a few are named. */
    record Holders(List<Holder> holders) implements Part {

        Holders {
            holders = List.copyOf(holders);
        }

        @Override
        public String text(PodNames names) {
            return names.list(holders);
        }
    }

    /**
     * Something about one pod, for those who may read the pod.
     *
     * @param text such as {@code pod=default/a}
     */
    record About(Holder holder, String text) implements Part {

        @Override
        public String text(PodNames names) {
            return names.shows(holder) ? text : holder.withoutName();
        }
    }

    public Sentence {
        parts = List.copyOf(parts);
    }

    public static Sentence of(String words) {
        return new Sentence(List.of(new Words(words)));
    }

    /**
     * Something about one pod. Readers who may not read the pod only learn that there is one.
     *
     * @param text such as {@code pod=default/a}
     */
    public static Sentence about(Holder holder, String text) {
        return new Sentence(List.of(new About(holder, text)));
    }

    /** This sentence with more words. */
    public Sentence plus(String words) {
        return plus(new Words(words));
    }

    /** This sentence with a list of holders. */
    public Sentence plus(Collection<Holder> holders) {
        return plus(new Holders(List.copyOf(holders)));
    }

    private Sentence plus(Part part) {
        return plus(new Sentence(List.of(part)));
    }

    /** This sentence with another one behind it. */
    public Sentence plus(Sentence other) {
        List<Part> all = new ArrayList<>(parts);
        all.addAll(other.parts);
        return new Sentence(all);
    }
}
