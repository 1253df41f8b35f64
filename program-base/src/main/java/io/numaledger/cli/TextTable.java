package io.numaledger.cli;

import io.numaledger.text.ControlCharacters;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
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
     * Adds a row. Control characters are written as escapes.
     *
     * @throws IllegalArgumentException if it does not have one cell for each column
     */
    public void row(List<String> cells) {
        if (cells.size() != header.size()) {
            throw new IllegalArgumentException(
                    "a row has a cell for each column: cells=%d columns=%d; fill unknown ones"
                            .formatted(cells.size(), header.size()));
        }
        rows.add(cells.stream().map(ControlCharacters::escaped).toList());
    }

    /** Header and rows, each with a newline. A column is right-aligned if every cell in it is a number or unknown ({@code -}). */
    public String print() {
        return print(Colours.NONE);
    }

    /** The table as {@link #print()} prints it, with the header and words of status in these colours. */
    public String print(Colours colours) {
        List<Column> columns =
                IntStream.range(0, header.size()).mapToObj(this::column).toList();
        StringBuilder text = new StringBuilder(colours.heading(line(header, columns, word -> word)) + "\n");
        rows.forEach(row -> text.append(line(row, columns, colours::status)).append("\n"));
        return text.toString();
    }

    private record Column(int width, boolean numeric) {}

    private Column column(int index) {
        int width = Math.max(
                header.get(index).length(),
                rows.stream().mapToInt(row -> row.get(index).length()).max().orElse(0));
        return new Column(
                width,
                rows.stream().map(row -> row.get(index)).allMatch(cell -> cell.matches("-|[0-9]+(\\.[0-9]+ GiB)?")));
    }

    private static String line(List<String> cells, List<Column> columns, UnaryOperator<String> painted) {
        return IntStream.range(0, cells.size())
                .mapToObj(index -> padded(cells.get(index), columns.get(index), painted))
                .collect(Collectors.joining("  "))
                .stripTrailing();
    }

    private static String padded(String cell, Column column, UnaryOperator<String> painted) {
        String blanks = " ".repeat(column.width() - cell.length());
        return column.numeric() ? blanks + painted.apply(cell) : painted.apply(cell) + blanks;
    }
}
