package io.numaledger.topology;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CpuSetTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", emptyValue = "", textBlock = """
            nothing                         | ''            | ''
            one id                          | 3             | 3
            a range with the newline of sysfs | '0-3 '      | 0-3
            out of order and overlapping    | 8,0-3,2-4     | 0-4,8
            one of each group of two        | 0-7:1/2       | 0,2,4,6
            two of each group of four       | 0-9:2/4       | 0-1,4-5,8-9
            empty parts, as old kernels print | ',1,'       | 1
            """)
    void readsTheKernelsListFormat(String situation, String text, String canonical) {
        assertThat(CpuSet.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a-b",
                "3-1",
                "-1",
                "1-",
                "0-7:2",
                "0-7:3/2",
                "0-7:0/2",
                "0-7:1/0",
                "3:1/2",
                "0-1-2",
                "0-99999999",
                "12345678901",
                "0x3"
            })
    void namesThePartThatIsNoList(String junk) {
        assertThatThrownBy(() -> CpuSet.parse("0," + junk))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "not a CPU list: part='%s'; expected ids and ranges such as 0-3,8 or 0-63:2/4".formatted(junk));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', emptyValue = "", textBlock = """
            0-3 | 2-5 | 0-5 | 2-3 | 0-1
            0-3 | ''  | 0-3 | ''  | 0-3
            """)
    void addsAndTakesAway(String left, String right, String union, String both, String rest) {
        CpuSet a = CpuSet.parse(left);
        CpuSet b = CpuSet.parse(right);
        assertThat(a.union(b)).isEqualTo(CpuSet.parse(union));
        assertThat(a.intersect(b)).isEqualTo(CpuSet.parse(both));
        assertThat(a.minus(b)).isEqualTo(CpuSet.parse(rest));
    }
}
