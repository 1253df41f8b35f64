package io.numaledger.nrt.numaplacement;

/**
 * Numbers as printable text: base 64 for the last digit, base 25 for those before it, over the printable ASCII characters but
 * {@code "}, {@code &}, {@code <}, {@code >} and {@code \}.
 */
final class Leb89 {

    private static final String ALPHABET = alphabet();
    private static final int TERMINALS = 64;
    private static final int CONTINUATIONS = 25;

    private Leb89() {}

    private static String alphabet() {
        StringBuilder letters = new StringBuilder();
        for (char letter = '!'; letter <= '~'; letter++) {
            if ("\"&<>\\".indexOf(letter) < 0) {
                letters.append(letter);
            }
        }
        return letters.toString();
    }

    /** @param value 0 or more */
    static String write(int value) {
        if (value < TERMINALS) {
            return String.valueOf(ALPHABET.charAt(value));
        }
        int rest = value - TERMINALS;
        StringBuilder digits = new StringBuilder();
        int high = rest / TERMINALS;
        do {
            digits.append(ALPHABET.charAt(TERMINALS + high % CONTINUATIONS));
            high /= CONTINUATIONS;
        } while (high > 0);
        return digits.reverse().append(ALPHABET.charAt(rest % TERMINALS)).toString();
    }
}
