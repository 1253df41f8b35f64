package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.rehearse.Rehearsal;
import io.numaledger.kubectl.zones.ClusterSource;
import io.numaledger.scheduling.rehearsal.RehearsedCluster;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * {@code /data/rehearsal?words=drain%20NODE}: what {@code kubectl numa rehearse} answers to these words. The cluster is read for each
 * question, and one question is answered after the other.
 */
final class RehearsalData implements DataSource {

    private static final int MOST_CHARACTERS = 10_000;

    private final ClusterSource cluster;

    RehearsalData(ClusterSource cluster) {
        this.cluster = cluster;
    }

    @Override
    public synchronized JsonNode read(String path, Map<String, String> query) throws IOException {
        String words = query.getOrDefault("words", "").strip();
        RehearsedCluster now = cluster.evaluated().rehearsed();
        try {
            if (words.length() > MOST_CHARACTERS) {
                throw new IOException("more than %d characters".formatted(MOST_CHARACTERS));
            }
            return Rehearsal.of(List.of(words.split("\\s+")), now);
        } catch (IOException wrongWords) {
            return UiData.error(wrongWords);
        }
    }

    @Override
    public List<String> inReport() {
        return List.of();
    }
}
