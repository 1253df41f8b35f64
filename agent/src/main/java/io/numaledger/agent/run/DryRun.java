package io.numaledger.agent.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.PodRecords;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.placement.PodAllocation;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Prints objects instead of writing them. */
final class DryRun {

    private static final JsonFactory JSON = new JsonFactory();
    private static final YAMLFactory YAML = YAMLFactory.builder()
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build();

    private final PrintWriter out;
    private final boolean yaml;

    DryRun(PrintWriter out, boolean yaml) {
        this.out = out;
        this.yaml = yaml;
    }

    void topology(NodeTopology topology) throws IOException {
        print(json -> NodeTopologyJson.write(json, topology));
    }

    /** One object for each pod that would have an annotation. */
    void annotations(Observation seen) throws IOException {
        for (int i = 0; i < seen.annotated().size(); i++) {
            PodRecords records = seen.records(i);
            if (!records.isEmpty()) {
                PodAllocation pod = seen.pods().get(i);
                print(json -> write(json, pod, records));
            }
        }
    }

    private static void write(JsonGenerator json, PodAllocation pod, PodRecords records) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", "PodAnnotations");
        json.writeStringField("namespace", pod.namespace());
        json.writeStringField("name", pod.name());
        json.writeObjectFieldStart("annotations");
        if (records.observed().isPresent()) {
            json.writeStringField(Annotations.OBSERVED, records.observed().get());
        }
        if (records.placement().isPresent()) {
            json.writeStringField(Annotations.PLACEMENT, records.placement().get());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private void print(Body body) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator =
                (yaml ? YAML : JSON).createGenerator(text).disable(Feature.AUTO_CLOSE_TARGET)) {
            body.write(generator);
        }
        out.println(text.toString().stripTrailing());
    }
}
