package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubectl.client.UnknownNameException;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Answers with what was read last where the cluster cannot be read, and with the reason in the field {@code unread}. */
final class LastRead implements DataSource {

    private static final int MOST = 100;

    private final DataSource source;
    private final Supplier<Optional<String>> problem;

    /** The answers, the latest last. */
    private final Map<String, JsonNode> answers = new LinkedHashMap<>(16, 0.75f, true);

    /** @param problem why the cluster cannot be read now */
    LastRead(DataSource source, Supplier<Optional<String>> problem) {
        this.source = source;
        this.problem = problem;
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) throws IOException {
        Optional<JsonNode> last = last(path);
        Optional<String> why = problem.get();
        if (last.isPresent() && why.isPresent()) {
            return unread(last.get(), why.get());
        }
        try {
            JsonNode answer = source.read(path, query);
            keep(path, answer);
            return answer;
        } catch (UnknownNameException e) {
            throw e;
        } catch (IOException e) {
            if (last.isEmpty()) {
                throw e;
            }
            return unread(last.get(), String.valueOf(e.getMessage()));
        }
    }

    private static JsonNode unread(JsonNode last, String why) {
        return last.<ObjectNode>deepCopy().put("unread", why);
    }

    private synchronized Optional<JsonNode> last(String path) {
        return Optional.ofNullable(answers.get(path));
    }

    private synchronized void keep(String path, JsonNode answer) {
        answers.put(path, answer);
        if (answers.size() > MOST) {
            answers.remove(answers.keySet().iterator().next());
        }
    }

    @Override
    public List<String> inReport() throws IOException {
        return source.inReport();
    }
}
