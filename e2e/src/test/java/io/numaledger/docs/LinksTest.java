package io.numaledger.docs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Links between the pages lead to files and headings that exist, and from the README every page can be reached. */
class LinksTest {

    private static final Path ROOT = Path.of(System.getProperty("numaledger.root"));
    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)\\s]*)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            for (String link : links(page)) {
                String[] parts = link.split("#", 2);
                Path target = target(page, link);
                if (!Files.exists(target)
                        || (parts.length == 2 && !anchors(target).contains(parts[1]))) {
                    broken.add(ROOT.relativize(page) + ": " + link);
                }
            }
        }

        assertThat(broken).isEmpty();
    }

    @Test
    void everyPageCanBeReachedFromTheReadme() throws IOException {
        Set<Path> reached = new HashSet<>();
        List<Path> open = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("docs/adr")));
        while (!open.isEmpty()) {
            Path page = open.remove(open.size() - 1);
            if (reached.add(page)
                    && Files.isRegularFile(page)
                    && page.toString().endsWith(".md")) {
                links(page).forEach(link -> open.add(target(page, link)));
            }
        }

        assertThat(pages().stream().filter(page -> !page.startsWith(ROOT.resolve("docs/adr"))))
                .isSubsetOf(reached);
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(
                ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md"), ROOT.resolve("benchmarks/README.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        return pages;
    }

    private static List<String> links(Path page) throws IOException {
        return LINK.matcher(text(page)).results().map(link -> link.group(1)).toList();
    }

    private static Path target(Path page, String link) {
        String file = link.split("#", 2)[0];
        return file.isEmpty() ? page : page.resolveSibling(file).normalize();
    }

    /** As GitHub makes them from headings: equal ones are numbered. */
    private static Set<String> anchors(Path page) throws IOException {
        Map<String, Integer> count = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        for (MatchResult heading : HEADING.matcher(text(page)).results().toList()) {
            String anchor = heading.group(1)
                    .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-');
            int before = count.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    private static String text(Path page) throws IOException {
        return CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
    }
}
