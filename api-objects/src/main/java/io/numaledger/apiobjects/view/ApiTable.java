package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.text.ControlCharacters;

import java.util.List;

/** Objects as the table that kubectl prints, a {@code Table} of {@code meta.k8s.io/v1}. */
public final class ApiTable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String VERSION = "meta.k8s.io/v1";

    private final ObjectNode table =
            JSON.createObjectNode().put("kind", "Table").put("apiVersion", VERSION);
    private final ArrayNode columns;
    private final ArrayNode rows;

    ApiTable() {
        table.putObject("metadata");
        this.columns = table.putArray("columnDefinitions");
        this.rows = table.putArray("rows");
    }

    /** Whether a request with this header {@code Accept} asks for a table. */
    public static boolean isAskedFor(String accept) {
        return accept.contains("as=Table");
    }

    /**
     * Adds a column.
     *
     * @param priority above 0: only in wide output
     */
    void column(String name, int priority, String description) {
        column(name, priority, "", description);
    }

    /** Adds the column of the names of objects. */
    void nameColumn(String name, String description) {
        column(name, 0, "name", description);
    }

    private void column(String name, int priority, String format, String description) {
        columns.addObject()
                .put("name", name)
                .put("type", "string")
                .put("format", format)
                .put("description", description)
                .put("priority", priority);
    }

    /** @param object the name of the object that the row shows */
    void row(String object, List<String> texts) {
        ObjectNode row = rows.addObject();
        ArrayNode cells = row.putArray("cells");
        texts.forEach(text -> cells.add(ControlCharacters.escaped(text)));
        row.putObject("object")
                .put("kind", "PartialObjectMetadata")
                .put("apiVersion", VERSION)
                .putObject("metadata")
                .put("name", object);
    }

    ObjectNode json() {
        return table;
    }
}
