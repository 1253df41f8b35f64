package io.numaledger.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table for people to read: columns as wide as their widest cell, two spaces apart, numbers right-aligned. */
public final class TextTable {

    private final List<String> header;
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(List<String> header) {
        this.header = List.copyOf(header);
    }

    /**
     * Adds a row.
     *
     * @throws IllegalArgumentException if it does not have one cell for each column
     */
    public void row(List<String> cells) {
        if (cells.size() != header.size()) {
            throw new IllegalArgumentException(
                    "a row has a cell for each column: cells=%d columns=%d; fill unknown ones"
                            .formatted(cells.size(), header.size()));
        }
        rows.add(List.copyOf(cells));
    }

    /** Header and rows, each with a newline. A column is right-aligned if every cell in it is a number or unknown ({@code -}). */
    public String print() {
        StringBuilder text = new StringBuilder(line(header));
        rows.forEach(row -> text.append(line(row)));
        return text.toString();
    }

    private String line(List<String> cells) {
        return IntStream.range(0, cells.size())
                        .mapToObj(column -> padded(cells.get(column), column))
                        .collect(Collectors.joining("  "))
                        .stripTrailing()
                + "\n";
    }

    private String padded(String cell, int column) {
        String blanks = " ".repeat(width(column) - cell.length());
        return isNumeric(column) ? blanks + cell : cell + blanks;
    }

    private int width(int column) {
        return IntStream.concat(
                        IntStream.of(header.get(column).length()),
                        rows.stream().mapToInt(row -> row.get(column).length()))
                .max()
                .orElseThrow();
    }

    private boolean isNumeric(int column) {
        return rows.stream().map(row -> row.get(column)).allMatch(cell -> cell.matches("-|[0-9]+(\\.[0-9]+ GiB)?"));
    }
}
