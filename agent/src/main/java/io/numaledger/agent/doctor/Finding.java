package io.numaledger.agent.doctor;

import java.util.Locale;

/**
 * What the doctor found.
 *
 * @param about the thing that was looked at, in a word or two
 * @param text what is so and, where it is not well, what to do
 */
public record Finding(Level level, String about, String text) {

    /** How bad it is. */
    public enum Level {
        OK,
        /** The agent works with less. */
        WARN,
        /** The agent does not do its work. */
        FAIL
    }

    static Finding ok(String about, String text) {
        return new Finding(Level.OK, about, text);
    }

    static Finding warn(String about, String text) {
        return new Finding(Level.WARN, about, text);
    }

    static Finding fail(String about, String text) {
        return new Finding(Level.FAIL, about, text);
    }

    @Override
    public String toString() {
        return "%-4s  %-14s  %s".formatted(level.name().toLowerCase(Locale.ROOT), about, text);
    }
}
