package io.numaledger.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A table of text for people: columns as wide as they need to be, two blanks apart. */
public final class TextTable {

    private final List<String[]> rows = new ArrayList<>();

    public TextTable(String... header) {
        rows.add(header.clone());
    }

    /** As many cells as the header has. */
    public void row(String... cells) {
        rows.add(cells.clone());
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
