package io.numaledger.agent.sysfs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SysfsTextTest {

    private static final String NODE_MEMINFO = """

            Node 8 MemTotal:       133952000 kB
            Node 8 MemFree:        129127168 kB
            Node 8 HugePages_Total:     0
            """;

    @Test
    void takesTheMemoryOfANodeInBytes() {
        assertThat(SysfsText.memTotalBytes(NODE_MEMINFO)).isEqualTo(133952000L * 1024);
    }

    @Test
    void takesTheMemoryOfAMachineWithoutNumaInBytes() {
        assertThat(SysfsText.memTotalBytes("MemTotal:         280840 kB\nMemFree:           12345 kB\n"))
                .isEqualTo(287580160);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', emptyValue = "", textBlock = """
            empty                      | ''                          | no line with MemTotal
            cut before the total       | 'Node 0 MemF'               | no line with MemTotal
            cut before the unit        | 'Node 0 MemTotal:   1339'   | not of the form 'MemTotal: 1024 kB': line='Node 0 MemTotal:   1339'
            cut before the number      | 'Node 0 MemTotal: '         | not of the form 'MemTotal: 1024 kB': line='Node 0 MemTotal:'
            another unit               | 'Node 0 MemTotal: 5 MB'     | not of the form 'MemTotal: 1024 kB': line='Node 0 MemTotal: 5 MB'
            a negative number          | 'Node 0 MemTotal: -5 kB'    | not of the form 'MemTotal: 1024 kB': line='Node 0 MemTotal: -5 kB'
            more than fits             | 'MemTotal: 9999999999999999999 kB' | not of the form 'MemTotal: 1024 kB': line='MemTotal: 9999999999999999999 kB'
            """)
    void saysWhyAMeminfoTellsNoMemory(String situation, String text, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SysfsText.memTotalBytes(text))
                .withMessage(why);
    }

    @Test
    void readsDistancesWithTheBlanksThatTheKernelWrites() {
        assertThat(SysfsText.distances(" 10 40  80\n")).containsExactly(10, 40, 80);
        assertThat(SysfsText.distances("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1O", "-10", "10.5", "123456"})
    void namesTheWordThatIsNoDistance(String word) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SysfsText.distances("10 " + word))
                .withMessage("not a distance: word='%s'", word);
    }

    @ParameterizedTest
    @CsvSource({
        "hugepages-64kB, 65536",
        "hugepages-2048kB, 2097152",
        "hugepages-1048576kB, 1073741824",
        "hugepages-16777216kB, 17179869184"
    })
    void takesThePageSizeFromTheDirectoryName(String name, long bytes) {
        assertThat(SysfsText.hugepageBytes(name)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hugepages-", "hugepages-kB", "hugepages-2048", "hugepages-0kB", "hugepages--1kB"})
    void namesTheDirectoryThatIsNoPageSize(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SysfsText.hugepageBytes(name))
                .withMessage("not of the form hugepages-2048kB: name='%s'", name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1 2", "0x10", "99999999999999999999"})
    void namesTheTextThatIsNoCount(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SysfsText.count(text))
                .withMessage("not a number of 0 or more: text='%s'", text);
    }

    @Test
    void readsIdsAndTheirUnknown() {
        assertThat(SysfsText.id("36")).isEqualTo(36);
        assertThat(SysfsText.id("-1")).isEqualTo(-1);
        assertThatIllegalArgumentException().isThrownBy(() -> SysfsText.id("")).withMessage("not an id: text=''");
    }

    @Test
    void cutsLongJunkShort() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SysfsText.count("x".repeat(1000)))
                .withMessage("not a number of 0 or more: text='%s…'", "x".repeat(40));
    }
}
