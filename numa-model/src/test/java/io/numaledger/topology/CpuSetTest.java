package io.numaledger.topology;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

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
                .hasMessage("not a CPU mask: words=40001; expected at most 2048");
    }

    static Stream<Arguments> textsWithTooManyIds() {
        return Stream.of(
                arguments("every second id, again and again", "0-65535:1/2,".repeat(12_000) + "x"),
                arguments("all ids, again and again", "0-65535,".repeat(20_000) + "x"),
                arguments("all ids and one more", "0-65535,7"),
                arguments("the last id, again and again", "65535 ".repeat(70_000)),
                arguments("most of each group", "0-65535:999/1000 1-65535:999/1000"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("textsWithTooManyIds")
    void refusesTextsWhosePartsNameMoreIdsThanAnyMachineHas(String situation, String text) {
        assertThatThrownBy(() -> CpuSet.parse(text))
                .hasMessage("not a CPU list: its parts name more than 65536 ids; expected each id once");
    }

    @Test
    void readsAListOfAllIdsThatAMachineCanHave() {
        assertThat(CpuSet.parse("0-65535").size()).isEqualTo(65536);
        assertThat(CpuSet.parse("0-65535:1/2,1-65535:1/2")).isEqualTo(CpuSet.range(0, 65535));
        assertThatThrownBy(() -> CpuSet.parse("65536")).hasMessageStartingWith("not a CPU list: part='65536'");
        assertThatThrownBy(() -> CpuSet.range(1, 65536)).hasMessageStartingWith("not a CPU list: part='1-65536'");
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithCountingEveryId(long seed) {
        Random random = new Random(seed);
        String text = IntStream.range(0, random.nextInt(6))
                .mapToObj(any -> part(random))
                .collect(Collectors.joining(random.nextBoolean() ? "," : " "));

        Optional<CpuSet> parsed;
        try {
            parsed = Optional.of(CpuSet.parse(text, 65535));
        } catch (IllegalArgumentException refused) {
            parsed = Optional.empty();
        }

        assertThat(parsed).as(text).isEqualTo(counted(text));
    }

    private static String part(Random random) {
        int most = random.nextInt(4) == 0 ? 70_000 : 100;
        String first = random.nextInt(20) == 0 ? "N" : Integer.toString(random.nextInt(most));
        String last = random.nextInt(20) == 0 ? "N" : Integer.toString(random.nextInt(most));
        String group = ":" + random.nextInt(6) + "/" + random.nextInt(6);
        return switch (random.nextInt(5)) {
            case 0 -> first;
            case 1 -> "all" + (random.nextBoolean() ? group : "");
            case 2 -> first + "-" + last + group;
            case 3 -> random.nextInt(10) == 0 ? "x" : "none";
            default -> first + "-" + last;
        };
    }

    /** Goes through the ids of each part one by one; absent: refused. */
    private static Optional<CpuSet> counted(String text) {
        Pattern form = Pattern.compile("(\\d+)(?:-(\\d+)(?::(\\d+)/(\\d+))?)?");
        List<Integer> ids = new ArrayList<>();
        for (String part : text.isEmpty() ? new String[0] : text.split("[, ]")) {
            Matcher range = form.matcher(part.replace("all", "0-N").replace("N", "65535"));
            if (part.equals("none")) {
                continue;
            }
            if (!range.matches()) {
                return Optional.empty();
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            int used = range.group(3) == null ? 1 : Integer.parseInt(range.group(3));
            int group = range.group(4) == null ? 1 : Integer.parseInt(range.group(4));
            if (first > last || last > 65535 || used < 1 || used > group) {
                return Optional.empty();
            }
            IntStream.rangeClosed(first, last)
                    .filter(id -> (id - first) % group < used)
                    .forEach(ids::add);
        }
        return ids.size() > 65536 ? Optional.empty() : Optional.of(CpuSet.of(ids));
    }
}
