package io.numaledger.gpu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PciAddressTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            sysfs                          | 0000:3b:00.0     | 0000:3b:00.0
            NVML, eight digits, upper case | 00000000:3B:00.0 | 0000:3b:00.0
            a domain above 16 bits         | 10000:00:04.0    | 10000:00:04.0
            NVML with that domain          | 00010000:00:1F.7 | 10000:00:1f.7
            """)
    void readsBothFormsAndWritesThatOfSysfs(String situation, String text, String canonical) {
        assertThat(PciAddress.isAddress(text)).isTrue();
        assertThat(PciAddress.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3b:00.0", "0000:3b:00.8", "0000:3b:00", "000000000:3b:00.0", "0000:3g:00.0"})
    void refusesOtherText(String text) {
        assertThat(PciAddress.isAddress(text)).isFalse();
        assertThatThrownBy(() -> PciAddress.parse(text))
                .hasMessage(
                        "not a PCI address: text='%s'; expected domain:bus:device.function such as 0000:3b:00.0", text);
    }

    @Test
    void takesTheAddressOfAHiddenSwitchForNone() {
        assertThat(PciAddress.isAddress("FFFFFFFF:FF:FF.0")).isFalse();
    }

    @Test
    void ordersByNumbersAndNotByText() {
        assertThat(PciAddress.parse("10000:00:00.0")).isGreaterThan(PciAddress.parse("2000:00:00.0"));
    }
}
