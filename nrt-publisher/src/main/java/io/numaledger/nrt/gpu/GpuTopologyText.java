package io.numaledger.nrt.gpu;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;
import io.numaledger.gpu.PcieLevels;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The text of the node annotation {@code numaledger.io/gpu-topology}, version 1: what changes with the wiring and not with
 * what runs.
 *
 * <pre>{@code
 * {"v":1,"kind":"switch",
 *  "gpus":[{"uuid":"GPU-…","bus":"0000:3b:00.0","minor":0,"numa":0,"mem":4,"missing":true},…],
 *  "links":18,                  every pair alike; else [1,2,0,…]: the pairs (1,0) (2,0) (2,1) (3,0) …
 *  "pcie":"HSS…",               a letter per pair in the same order
 *  "clique":"<cluster>.<id>"}
 * }</pre>
 *
 * GPUs are in order of PCI address; unknown things are left out; {@code missing} marks a GPU whose links could not be read,
 * {@code mem} the NUMA node that is its own memory. Letters: I PIX, B PXB, H PHB, N NODE, S SYS, ? unknown.
 */
public final class GpuTopologyText {

    /** The annotation's key. */
    public static final String KEY = NodeAnnotations.PREFIX + "gpu-topology";

    /** The most bytes of the text: more than 72 GPUs with different links need; all annotations of an object share 262144 bytes. */
    public static final int MAX_BYTES = 32 << 10;

    static final int VERSION = 1;
    static final String UNKNOWN_LEVEL = "?";

    private GpuTopologyText() {}

    /**
     * Writes a topology; the text is the same for equal topologies.
     *
     * @throws IllegalArgumentException when it would be longer than {@link #MAX_BYTES}
     */
    public static String write(GpuTopology topology) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            write(topology, json);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write JSON to memory: gpus=%d; report this"
                            .formatted(topology.gpus().size()),
                    e);
        }
        if (text.getBuffer().length() > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the GPU topology is too long for an annotation: gpus=%d bytes=%d limit=%d; set --gpu-topology=false on this node"
                            .formatted(topology.gpus().size(), text.getBuffer().length(), MAX_BYTES));
        }
        return text.toString();
    }

    private static void write(GpuTopology topology, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeNumberField("v", VERSION);
        json.writeStringField("kind", topology.kind().text());
        json.writeArrayFieldStart("gpus");
        for (Gpu gpu : topology.gpus()) {
            write(gpu, json);
        }
        json.writeEndArray();
        json.writeFieldName("links");
        writeLinks(topology.links(), json);
        json.writeStringField("pcie", letters(topology.pcie()));
        if (topology.clique().isPresent()) {
            json.writeStringField("clique", topology.clique().get());
        }
        json.writeEndObject();
    }

    private static void write(Gpu gpu, JsonGenerator json) throws IOException {
        json.writeStartObject();
        if (gpu.uuid().isPresent()) {
            json.writeStringField("uuid", gpu.uuid().get());
        }
        Optional<String> bus = gpu.pciAddress().map(PciAddress::toString);
        if (bus.isPresent()) {
            json.writeStringField("bus", bus.get());
        }
        number("minor", gpu.minor(), json);
        number("numa", gpu.numaNode(), json);
        number("mem", gpu.memoryNumaNode(), json);
        if (!gpu.linksKnown()) {
            json.writeBooleanField("missing", true);
        }
        json.writeEndObject();
    }

    private static void number(String field, OptionalInt value, JsonGenerator json) throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, value.getAsInt());
        }
    }

    private static void writeLinks(LinkMatrix links, JsonGenerator json) throws IOException {
        if (links.uniform().isPresent()) {
            json.writeNumber(links.uniform().getAsInt());
            return;
        }
        json.writeStartArray();
        for (int row = 1; row < links.size(); row++) {
            for (int column = 0; column < row; column++) {
                json.writeNumber(links.links(row, column));
            }
        }
        json.writeEndArray();
    }

    private static String letters(PcieLevels levels) {
        StringBuilder letters = new StringBuilder();
        for (int row = 1; row < levels.size(); row++) {
            for (int column = 0; column < row; column++) {
                letters.append(
                        levels.level(row, column).map(GpuTopologyText::letter).orElse(UNKNOWN_LEVEL));
            }
        }
        return letters.toString();
    }

    static String letter(PcieLevel level) {
        return switch (level) {
            case PIX -> "I";
            case PXB -> "B";
            case PHB -> "H";
            case NODE -> "N";
            case SYS -> "S";
        };
    }

    /**
     * The topology in a text of version 1, without slots on the board. Unknown fields are skipped. A text that is longer than {@link
     * #MAX_BYTES}, or names more GPUs than a machine has, is refused: its pairs are the square of its GPUs.
     *
     * @throws IllegalArgumentException saying what in the text cannot be used
     */
    public static GpuTopology read(String text) {
        return new GpuTopologyReader().read(text);
    }
}
