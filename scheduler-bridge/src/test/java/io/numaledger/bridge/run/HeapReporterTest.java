package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.server.Requests;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.MemoryUsage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class HeapReporterTest {

    private static final long MAX = 1000;

    private final BridgeMetrics metrics = new BridgeMetrics();
    private long used;

    private List<String> logged(HeapReporter reporter, long... uses) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            for (long use : uses) {
                used = use;
                reporter.report();
            }
        } finally {
            System.setErr(before);
        }
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("event="))
                .map(line -> line.replaceFirst(".*level=(\\S+) (event=\\S+ \\S+).*", "$1 $2"))
                .toList();
    }

    private HeapReporter reporter() {
        return new HeapReporter(metrics.registry(), () -> Optional.of(new MemoryUsage(0, used, MAX, MAX)));
    }

    private String metric() {
        return new String(metrics.scrape(Requests.of("GET", "", "")).body(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("numaledger_bridge_heap_in_use_ratio "))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void warnsOnceWhileTheHeapIsNearlyFull() {
        assertThat(logged(reporter(), 840, 860, 990, 820, 900))
                .containsExactly("WARN event=heap.nearly_full in_use_percent=86");
    }

    @Test
    void saysWhenThereIsRoomAgain() {
        assertThat(logged(reporter(), 860, 790, 500, 860))
                .containsExactly(
                        "WARN event=heap.nearly_full in_use_percent=86",
                        "INFO event=heap.has_room in_use_percent=79",
                        "WARN event=heap.nearly_full in_use_percent=86");
    }

    @Test
    void measuresWhatIsInUse() {
        used = 250;

        assertThat(logged(reporter())).isEmpty();
        assertThat(metric()).isEqualTo("numaledger_bridge_heap_in_use_ratio 0.25");
    }

    @Test
    void readsThisJava() {
        HeapReporter reporter = new HeapReporter(metrics.registry());

        assertThat(metric()).matches(".* 0\\.\\d+");
        assertThat(logged(reporter)).isEmpty();
    }
}
