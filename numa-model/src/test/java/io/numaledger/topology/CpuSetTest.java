package io.numaledger.topology;

import org.junit.jupiter.api.Test;
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
            white space between entries   | '0 2-3,  5'   | 0,2-3,5
            the word for nothing          | none          | ''
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
                "0x3",
                "all",
                "N"
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

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the whole machine             | all     | 0-7
            every second of all           | all:1/2 | 0,2,4,6
            from one id to the last       | 5-N     | 5-7
            the last alone                | N       | 7
            """)
    void readsTheWordsForTheLastPossibleId(String situation, String text, String canonical) {
        assertThat(CpuSet.parse(text, 7)).hasToString(canonical);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', emptyValue = "", textBlock = """
            nothing                       | ''                         | ''
            one short word                | 5                          | 0,2
            words, most significant first | 00000001,0000ffff          | 0-15,32
            a short first word            | 0000,ff000000,00000001     | 0,56-63
            the newline of sysfs          | '00000003 '                | 0-1
            """)
    void readsTheKernelsMaskFormat(String situation, String text, String list) {
        assertThat(CpuSet.parseMask(text)).hasToString(list);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0x3", "g", "123456789", "-1", "1,", "1 2"})
    void namesTheWordThatIsNoMask(String junk) {
        String word = junk.equals("1,") ? "" : junk;
        assertThatThrownBy(() -> CpuSet.parseMask(junk))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "not a CPU mask: word='%s'; expected words of 1 to 8 hexadecimal digits such as 00000001,0000ffff"
                                .formatted(word));
    }

    @Test
    void refusesAMaskOfMoreCpusThanAnyMachineHas() {
        assertThatThrownBy(() -> CpuSet.parseMask("0,".repeat(40_000) + "1"))
                .hasMessage("not a CPU mask: words=40001; expected at most 32768");
    }
}
