package io.numaledger.simulator.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Rows of text under headings; each column is as wide as its longest cell. */
final class TextColumns {

    private final List<String[]> rows = new ArrayList<>();

    TextColumns(String... headings) {
        rows.add(headings);
    }

    /** As many cells as there are headings. */
    void row(String... cells) {
        rows.add(cells);
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.get(0).length];
        rows.forEach(row -> Arrays.setAll(widths, column -> Math.max(widths[column], row[column].length())));
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining("\n", "", "\n"));
    }

    private static String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            line.append(row[column]).append(" ".repeat(widths[column] - row[column].length() + 2));
        }
        return line.toString().stripTrailing();
    }
}
