package io.numaledger.benchmarks.soak;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

class SoakReportTest {

    private static final long WARM_UP_GROWTH_KIB = 50_000;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            nothing grows                            | 4 |    0 |   0 | 0 | 0 | false
            growth that is tolerated                 | 4 | 3072 | 512 | 2 | 4 | false
            memory grows                             | 4 | 3073 |   0 | 0 | 0 | true
            the live heap grows                      | 4 |    0 | 513 | 0 | 0 | true
            threads grow                             | 4 |    0 |   0 | 3 | 0 | true
            files grow                               | 4 |    0 |   0 | 0 | 5 | true
            too few minutes to judge                 | 3 | 9999 | 999 | 9 | 9 | false
            """)
    void failsWhereTheAgentGrowsAfterTheWarmUp(
            String situation,
            int minutesAfterWarmUp,
            long residentKiB,
            long liveHeapKiB,
            long threads,
            long files,
            boolean grown) {
        SoakReport report = new SoakReport("node");
        for (int minute = 0; minute < SoakReport.WARM_UP; minute++) {
            report.add(new SoakReport.Sample(WARM_UP_GROWTH_KIB * minute, OptionalLong.of(0), 0, 0, 0));
        }
        for (int minute = 0; minute < minutesAfterWarmUp; minute++) {
            int late = minute >= minutesAfterWarmUp / 2 ? 1 : 0;
            report.add(new SoakReport.Sample(
                    late * residentKiB, OptionalLong.of(late * liveHeapKiB), late * threads, late * files, 0));
        }

        assertThat(report.hasGrown()).as(report.summary()).isEqualTo(grown);
    }
}
