package io.numaledger.docs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The reference lists every log event that there is, and none that there is not. */
class ReferenceTest {

    private static final Path ROOT = Path.of(System.getProperty("numaledger.root"));

    @Test
    void listsEveryLogEvent() throws IOException {
        SortedSet<String> logged = new TreeSet<>();
        for (Path source : sources("src/main/java")) {
            logged.addAll(found("\"event=([a-z._]+)", Files.readString(source)));
        }

        assertThat(found(
                        "(?m)^\\| `([a-z]+\\.[a-z._]+)`",
                        Files.readString(ROOT.resolve("docs/reference/log-events.md"))))
                .isEqualTo(logged);
    }

    @Test
    void everyTestAgainstAnotherExportersFaultIsThere() throws IOException {
        SortedSet<String> listed =
                found("`([A-Z]\\w+\\.[a-z]\\w+)`", Files.readString(ROOT.resolve("docs/comparison.md")));
        SortedSet<String> tests = new TreeSet<>();
        for (Path source : sources("src/test/java")) {
            String type = source.getFileName().toString().replace(".java", "");
            found("void (\\w+)\\(", Files.readString(source)).forEach(name -> tests.add(type + "." + name));
        }

        assertThat(listed).hasSizeGreaterThan(25);
        assertThat(tests).containsAll(listed);
    }

    /** The Java files of all modules under this folder of each. */
    private static List<Path> sources(String folder) throws IOException {
        List<Path> sources = new ArrayList<>();
        try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT)) {
            for (Path module : modules) {
                if (Files.isDirectory(module.resolve(folder))) {
                    try (Stream<Path> files = Files.walk(module.resolve(folder))) {
                        files.filter(path -> path.toString().endsWith(".java")).forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }

    private static SortedSet<String> found(String pattern, String text) {
        SortedSet<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
