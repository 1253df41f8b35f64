package io.numaledger.gpu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LinkMatrixTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a short row      | 0 1;1     | a link matrix is square: row=1 column=1; correct this cell of nvlinks
            a link to itself | 0 1;1 1   | a GPU has no link to itself: row=1 column=1; correct this cell of nvlinks
            unequal ends     | 0 1;2 0   | both ends count the same links: row=1 column=0; correct this cell of nvlinks
            less than none   | 0 -1;-1 0 | a pair has 0-255 links: row=1 column=0; correct this cell of nvlinks
            """)
    void namesTheCellThatCannotBe(String situation, String rows, String sentence) {
        assertThatThrownBy(() -> LinkMatrix.of(Matrices.parse(rows))).hasMessage(sentence);
    }

    @Test
    void sumsOverThePairsOfASet() {
        LinkMatrix matrix = LinkMatrix.of(Matrices.parse("0 1 2;1 0 4;2 4 0"));
        assertThat(matrix.total(GpuSet.of(0, 1, 2))).isEqualTo(7);
        assertThat(matrix.total(GpuSet.of(1, 2))).isEqualTo(4);
        assertThat(matrix.total(GpuSet.of(1))).isZero();
        assertThat(matrix.neighbours(1)).isEqualTo(GpuSet.of(0, 2));
    }

    @Test
    void knowsWhetherAllPairsAreAlike() {
        assertThat(LinkMatrix.of(Matrices.parse("0 6 6;6 0 6;6 6 0")).uniform()).hasValue(6);
        assertThat(LinkMatrix.of(Matrices.parse("0 6 6;6 0 0;6 0 0")).uniform()).isEmpty();
        assertThat(LinkMatrix.none(1).uniform()).isEmpty();
    }
}
