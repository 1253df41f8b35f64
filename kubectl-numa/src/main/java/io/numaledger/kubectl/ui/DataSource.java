package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Port: the data of one kind that the page asks for, below {@code /data/KIND}. */
@FunctionalInterface
public interface DataSource {

    /**
     * Called by several threads.
     *
     * @param path what follows the kind, such as a node's name, without a slash before it; empty if nothing does
     */
    JsonNode read(String path, Map<String, String> query) throws IOException;

    /** The paths of which a report has the data; those that fail are left out. */
    default List<String> inReport() throws IOException {
        return List.of("");
    }
}
