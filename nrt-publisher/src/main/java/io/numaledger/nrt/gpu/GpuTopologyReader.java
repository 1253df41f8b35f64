package io.numaledger.nrt.gpu;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;
import io.numaledger.gpu.PcieLevels;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads one text of {@link GpuTopologyText}. */
final class GpuTopologyReader {

    private final List<Gpu> gpus = new ArrayList<>();
    private final List<Integer> links = new ArrayList<>();
    private OptionalInt allLinks = OptionalInt.empty();
    private OptionalInt version = OptionalInt.empty();
    private LinkKind kind = LinkKind.NONE;
    private Optional<String> pcie = Optional.empty();
    private boolean hasGpus;
    private boolean hasLinks;
    private Optional<String> clique = Optional.empty();

    GpuTopology read(String text) {
        if (text.length() > GpuTopologyText.MAX_BYTES) {
            throw unusable(
                    "it has %d characters, expected at most %d".formatted(text.length(), GpuTopologyText.MAX_BYTES),
                    null);
        }
        try (JsonParser json = new JsonFactory().createParser(text)) {
            require(json.nextToken() == JsonToken.START_OBJECT, "it is no object");
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                field(json);
            }
        } catch (IOException e) {
            throw unusable("it is no JSON", e);
        } catch (IllegalArgumentException e) {
            throw unusable(String.valueOf(e.getMessage()), e);
        }
        try {
            require(version.equals(OptionalInt.of(GpuTopologyText.VERSION)), "its version is not 1");
            return topology();
        } catch (IllegalArgumentException e) {
            throw unusable(String.valueOf(e.getMessage()), e);
        }
    }

    private static IllegalArgumentException unusable(String why, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "cannot use a GPU topology: annotation=%s: %s; the agent of that node writes it anew"
                        .formatted(GpuTopologyText.KEY, why),
                cause);
    }

    private static void require(boolean holds, String complaint) {
        if (!holds) {
            throw new IllegalArgumentException(complaint);
        }
    }

    private void field(JsonParser json) throws IOException {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        switch (name) {
            case "v" -> version = OptionalInt.of(json.getIntValue());
            case "kind" -> kind = LinkKind.parse(json.getText());
            case "pcie" -> pcie = Optional.of(json.getText());
            case "clique" -> clique = Optional.of(json.getText());
            case "gpus" -> readGpus(json);
            case "links" -> readLinks(json, value);
            default -> json.skipChildren();
        }
    }

    private void readGpus(JsonParser json) throws IOException {
        hasGpus = true;
        while (json.nextToken() == JsonToken.START_OBJECT) {
            gpus.add(gpu(json));
            require(gpus.size() <= GpuSet.MAX_INDEX + 1, "it has more than %d GPUs".formatted(GpuSet.MAX_INDEX + 1));
        }
    }

    private static Gpu gpu(JsonParser json) throws IOException {
        Optional<String> uuid = Optional.empty();
        Optional<PciAddress> bus = Optional.empty();
        OptionalInt minor = OptionalInt.empty();
        OptionalInt numa = OptionalInt.empty();
        OptionalInt memory = OptionalInt.empty();
        boolean missing = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "uuid" -> uuid = Optional.of(json.getText());
                case "bus" -> bus = Optional.of(PciAddress.parse(json.getText()));
                case "minor" -> minor = OptionalInt.of(json.getIntValue());
                case "numa" -> numa = OptionalInt.of(json.getIntValue());
                case "mem" -> memory = OptionalInt.of(json.getIntValue());
                case "missing" -> missing = json.getBooleanValue();
                default -> json.skipChildren();
            }
        }
        return new Gpu(uuid, bus, minor, OptionalInt.empty(), numa, memory, !missing);
    }

    private void readLinks(JsonParser json, JsonToken value) throws IOException {
        hasLinks = true;
        if (value != JsonToken.START_ARRAY) {
            allLinks = OptionalInt.of(json.getIntValue());
            return;
        }
        while (json.nextToken() != JsonToken.END_ARRAY) {
            links.add(json.getIntValue());
        }
    }

    private GpuTopology topology() {
        int pairs = gpus.size() * (gpus.size() - 1) / 2;
        require(hasGpus, "field=gpus is missing");
        require(pairs == 0 || hasLinks, "field=links is missing, expected %d pairs".formatted(pairs));
        require(pairs == 0 || pcie.isPresent(), "field=pcie is missing, expected %d pairs".formatted(pairs));
        int levels = pcie.orElse("").length();
        require(
                allLinks.isPresent() || links.size() == pairs,
                "field=links has %d pairs, expected %d".formatted(links.size(), pairs));
        require(levels == pairs, "field=pcie has %d pairs, expected %d".formatted(levels, pairs));
        int[][] counts = new int[gpus.size()][gpus.size()];
        for (int row = 0; row < counts.length; row++) {
            for (int column = 0; column < row; column++) {
                counts[row][column] = allLinks.isPresent() ? allLinks.getAsInt() : links.get(pair(row, column));
                counts[column][row] = counts[row][column];
            }
        }
        return new GpuTopology(gpus, kind, LinkMatrix.of(counts), PcieLevels.of(gpus.size(), this::level), clique);
    }

    private static int pair(int row, int column) {
        return row * (row - 1) / 2 + column;
    }

    private Optional<PcieLevel> level(int row, int column) {
        String letter = String.valueOf(pcie.orElseThrow().charAt(pair(row, column)));
        return Arrays.stream(PcieLevel.values())
                .filter(level -> GpuTopologyText.letter(level).equals(letter))
                .findFirst();
    }
}
