package io.numaledger.cli;

/**
 * Colours of a terminal, by what a word says. Elsewhere than on a terminal, text is left as it is.
 *
 * @param on whether the text is for a terminal that shows colours
 */
public record Colours(boolean on) {

    public static final Colours NONE = new Colours(false);

    private static final int BOLD = 1;
    private static final int RED = 31;
    private static final int GREEN = 32;
    private static final int YELLOW = 33;

    public String heading(String text) {
        return painted(text, BOLD);
    }

    /** Words that say how well something is, in their colours; all others unchanged. */
    public String status(String word) {
        return switch (word) {
            case "ok", "fits", "exact" -> painted(word, GREEN);
            case "warn", "predicted" -> painted(word, YELLOW);
            case "fail", "no", "aggregate" -> painted(word, RED);
            default -> word;
        };
    }

    private String painted(String text, int colour) {
        return on ? "\033[%dm%s\033[0m".formatted(colour, text) : text;
    }
}
