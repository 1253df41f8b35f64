package io.numaledger.cli;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class TextTableTest {

    private static TextTable table() {
        TextTable table = new TextTable(List.of("NODE", "PODS", "CONFIDENCE", "REASON"));
        table.row(List.of("a", "7", "exact", ""));
        table.row(List.of("worker-1", "12", "aggregate", "no zones"));
        return table;
    }

    @Test
    void alignsNumbersToTheRight() {
        assertThat(table().print()).isEqualTo("""
                NODE      PODS  CONFIDENCE  REASON
                a            7  exact
                worker-1    12  aggregate   no zones
                """);
    }

    @Test
    void coloursWordsOfStatusAndKeepsTheColumns() {
        String coloured = table().print(new Colours(true));

        assertThat(coloured)
                .startsWith("\033[1mNODE      PODS  CONFIDENCE  REASON\033[0m\n")
                .contains("12  \033[31maggregate\033[0m   no zones", "7  \033[32mexact\033[0m");
        assertThat(coloured.replaceAll("\033\\[\\d+m", "").replaceAll(" +\n", "\n"))
                .isEqualTo(table().print());
    }
}
