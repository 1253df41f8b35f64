package io.numaledger.evaluation.fit;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalReasonTest {

    private static final String HEADER = "| Reason | Meaning | What to do |\n|---|---|---|\n";

    private static String document(String name) throws IOException {
        return Files.readString(Path.of(System.getProperty("numaledger.root"), "docs", name));
    }

    /** If this fails, copy the expected table into the page. */
    @Test
    void theReferenceListsAllReasons() throws IOException {
        String table = Stream.of(RefusalReason.values())
                .map(each -> "| `%s` | %s | %s |%n".formatted(each, each.meaning(), each.remedy()))
                .collect(Collectors.joining("", HEADER, ""));
        String page = document("reference/decisions.md");
        String section = page.substring(page.indexOf("### Refusal reasons"), page.indexOf("### Events on pods"));
        String documented =
                section.substring(section.indexOf("| Reason |"), section.lastIndexOf("|\n") + "|\n".length());

        assertThat(documented).isEqualTo(table);
    }

    @Test
    void otherPagesDoNotRepeatTheTable() throws IOException {
        for (String page :
                new String[] {"troubleshoot.md", "bridge.md", "kubectl-numa.md", "groups.md", "operate.md"}) {
            assertThat(document(page).lines())
                    .as(page)
                    .noneMatch(line -> Stream.of(RefusalReason.values())
                            .filter(each -> each != RefusalReason.NUMA_SPREAD_EXCEEDED) // also an event
                            .anyMatch(each -> line.startsWith("| `%s`".formatted(each))));
        }
    }
}
