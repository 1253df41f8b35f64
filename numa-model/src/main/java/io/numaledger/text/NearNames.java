package io.numaledger.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Proposes names that exist for one that does not: those a few typing errors away, longer ones that begin with it, and the same in another namespace. */
public final class NearNames {

    private static final int MOST = 3;

    private NearNames() {}

    /** The nearest first, at most three. */
    public static List<String> of(String wrong, Collection<String> known) {
        return known.stream()
                .distinct()
                .filter(each -> distance(wrong, each) <= allowed(wrong))
                .sorted(Comparator.comparingInt((String each) -> distance(wrong, each))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    /** The end of an error message, such as {@code "; did you mean hello?"}; empty if no name is near. */
    public static String hint(String wrong, Collection<String> known) {
        List<String> near = of(wrong, known);
        return near.isEmpty() ? "" : near.stream().collect(Collectors.joining(" or ", "; did you mean ", "?"));
    }

    /** One error in three characters, as most shells and compilers allow; one in two, and none in one. */
    private static int allowed(String wrong) {
        int length = wrong.substring(wrong.lastIndexOf('/') + 1).length();
        return length == 2 ? 1 : length / 3;
    }

    private static int distance(String wrong, String known) {
        String one = wrong.toLowerCase(Locale.ROOT);
        String other = known.toLowerCase(Locale.ROOT);
        boolean elsewhere = one.contains("/")
                && other.contains("/")
                && one.substring(one.indexOf('/')).equals(other.substring(other.indexOf('/')));
        boolean begins = one.length() > 1 && other.startsWith(one);
        return begins || elsewhere ? 1 : edits(one, other);
    }

    /** Insertions, deletions, substitutions, and transpositions of neighbours: the optimal string alignment distance. */
    private static int edits(String one, String other) {
        int[] before = new int[0];
        int[] last = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            last[column] = column;
        }
        for (int row = 1; row <= one.length(); row++) {
            int[] next = new int[other.length() + 1];
            next[0] = row;
            for (int column = 1; column <= other.length(); column++) {
                int substituted = last[column - 1] + (one.charAt(row - 1) == other.charAt(column - 1) ? 0 : 1);
                next[column] = Math.min(substituted, 1 + Math.min(last[column], next[column - 1]));
                if (isTransposed(one, row, other, column)) {
                    next[column] = Math.min(next[column], before[column - 2] + 1);
                }
            }
            before = last;
            last = next;
        }
        return last[other.length()];
    }

    private static boolean isTransposed(String one, int row, String other, int column) {
        return row > 1
                && column > 1
                && one.charAt(row - 1) == other.charAt(column - 2)
                && one.charAt(row - 2) == other.charAt(column - 1);
    }
}
