package io.numaledger.cli;

import io.numaledger.text.ControlCharacters;

import java.util.Locale;

/**
 * What a doctor command found.
 *
 * @param about the thing that was looked at, in a word or two
 * @param text what is so and, where it is not well, what to do
 */
public record Finding(Level level, String about, String text) {

    /** How bad it is. */
    public enum Level {
        OK,
        /** The thing works with less. */
        WARN,
        /** The thing does not work. */
        FAIL,
        /** The thing is not there, or was not looked at. */
        SKIP
    }

    public static Finding ok(String about, String text) {
        return new Finding(Level.OK, about, text);
    }

    public static Finding warn(String about, String text) {
        return new Finding(Level.WARN, about, text);
    }

    public static Finding fail(String about, String text) {
        return new Finding(Level.FAIL, about, text);
    }

    public static Finding skip(String about, String text) {
        return new Finding(Level.SKIP, about, text);
    }

    @Override
    public String toString() {
        return text(Colours.NONE);
    }

    /** One line. */
    public String text(Colours colours) {
        String word = level.name().toLowerCase(Locale.ROOT);
        return "%s%s  %-14s  %s"
                .formatted(colours.status(word), " ".repeat(4 - word.length()), about, ControlCharacters.escaped(text));
    }
}
