package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

import static org.assertj.core.api.Assertions.assertThat;

class ReportTest {

    private static final String MARKUP = "</script><script>alert(1)</script>";

    private static JsonNode dataOf(String report) throws IOException {
        Matcher data = Pattern.compile("id=\"data\">([^<]*)</script>").matcher(report);
        assertThat(data.find()).isTrue();
        byte[] bytes = Base64.getDecoder().decode(data.group(1));
        return new ObjectMapper().readTree(new GZIPInputStream(new ByteArrayInputStream(bytes)));
    }

    @Test
    void hasTheDataOfAllPathsAndNoTextOfTheClusterAsMarkup() throws IOException {
        DataSource nodes =
                (path, query) -> JsonNodeFactory.instance.objectNode().put("node", MARKUP);
        DataSource node = new DataSource() {
            @Override
            public JsonNode read(String path, Map<String, String> query) throws IOException {
                if (path.equals("b")) {
                    throw new IOException("gone");
                }
                return TextNode.valueOf(path);
            }

            @Override
            public List<String> inReport() {
                return List.of("a", "b");
            }
        };

        String report = Report.of(new UiData(Map.of("nodes", nodes, "node", node)));

        assertThat(dataOf(report).toString())
                .isEqualTo(
                        "{\"node/a\":\"a\",\"node/b\":{\"error\":\"gone\"},\"nodes\":{\"node\":\"" + MARKUP + "\"}}");
        assertThat(report).doesNotContain("alert(1)");
    }

    @Test
    void loadsNothing() throws IOException {
        String report = Report.of(new UiData(Map.of()));

        assertThat(report)
                .containsPattern("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                        + "script-src 'sha256-[^']*'; style-src 'sha256-[^']*'; img-src data:;")
                .doesNotContainPattern("(?m)^(import|export) ")
                .doesNotContain(" src=", "href=\"style.css\"");
    }
}
