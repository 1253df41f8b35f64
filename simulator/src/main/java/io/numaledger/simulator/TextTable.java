package io.numaledger.simulator;

import java.util.ArrayList;
import java.util.List;

/** A table of text for people: columns as wide as they need to be, two blanks apart. */
public final class TextTable {

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... header) {
        rows.add(List.of(header));
    }

    public void row(String... cells) {
        rows.add(List.of(cells));
    }

    @Override
    public String toString() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                line.append(row.get(column))
                        .append(" ".repeat(widths[column] - row.get(column).length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
