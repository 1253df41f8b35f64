package io.numaledger.agent.probe;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * A machine's topology as one line of JSON, such as {@code {"onlineCpus":"0-15","numaNodes":[{"id":0,"cpus":"0-7",
 * "memoryBytes":8589934592,"hugepages":{"2097152":512},"distances":{"0":10,"1":21}}]}}. What is unknown is left out;
 * {@code cpus} is the empty text for a NUMA node without CPUs; hugepages are page size in bytes → number of pages.
 */
final class TopologyJson {

    private static final JsonFactory JSON = new JsonFactory();

    private TopologyJson() {}

    static String print(MachineTopology machine) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            if (!machine.onlineCpus().isEmpty()) {
                json.writeStringField("onlineCpus", machine.onlineCpus().toString());
            }
            json.writeArrayFieldStart("numaNodes");
            for (NumaNode node : machine.numaNodes()) {
                write(node, json);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException("cannot write JSON into memory", impossible);
        }
        return text.append('\n').toString();
    }

    private static void write(NumaNode node, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("id", node.id());
        json.writeStringField("cpus", node.cpus().toString());
        if (node.memoryBytes().isPresent()) {
            json.writeNumberField("memoryBytes", node.memoryBytes().getAsLong());
        }
        write("hugepages", node.hugepages(), json);
        write("distances", node.distances(), json);
        json.writeEndObject();
    }

    private static void write(String name, Map<? extends Number, ? extends Number> numbers, JsonGenerator json)
            throws IOException {
        if (numbers.isEmpty()) {
            return;
        }
        json.writeObjectFieldStart(name);
        for (Map.Entry<? extends Number, ? extends Number> entry : numbers.entrySet()) {
            json.writeNumberField(entry.getKey().toString(), entry.getValue().longValue());
        }
        json.writeEndObject();
    }
}
