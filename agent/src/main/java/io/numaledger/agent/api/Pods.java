package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.PodRecords;
import io.numaledger.annotation.PodStore;
import io.numaledger.annotation.PodView;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The pods of one node, on the API server. */
public final class Pods implements PodStore, AutoCloseable {

    private static final String PATH = "/api/v1/pods";

    private final ApiServer api;
    private final String selector;
    private final WatchedCollection<PodView> collection;
    private final ResourceWatch<PodView> watch;

    /**
     * @param onChange called from the watch's thread when something about a pod changed that matters here
     */
    public Pods(ApiServer api, String node, Runnable onChange) {
        this.api = api;
        this.selector = "fieldSelector=" + URLEncoder.encode("spec.nodeName=" + node, StandardCharsets.UTF_8);
        this.collection = new WatchedCollection<>(onChange, Pods::waitsForItsKubelet, Pods::othersChanged);
        this.watch = new ResourceWatch<>(
                api, new ResourceWatch.Followed<>(PATH, selector, PodReader::read), collection, onChange);
    }

    /** A pod has no placement before the kubelet admits it; then it changes. */
    static boolean waitsForItsKubelet(PodView pod) {
        return !pod.started() && !pod.terminal() && pod.records().isEmpty();
    }

    /** Something that another client, or the kubelet, has changed. */
    static boolean othersChanged(PodView before, PodView after) {
        return !before.with(PodRecords.NONE).equals(after.with(PodRecords.NONE));
    }

    public void startWatching() {
        watch.start();
    }

    /** True if the API server does not let us watch; {@link #refresh()} is then the only way to learn. */
    public boolean watchRefused() {
        return watch.refused();
    }

    /** True while the watch does not work, although the agent has the right to watch. */
    public boolean outOfTouch() {
        return watch.failing() && !watch.refused();
    }

    /** See {@link ResourceWatch#cutIfSilent()}. */
    public void keepAlive() {
        watch.cutIfSilent();
    }

    /** True once all pods of the node have been read. */
    public boolean known() {
        return collection.complete();
    }

    public List<PodView> all() {
        return collection.values();
    }

    /** Lists all pods of the node again. */
    public void refresh() throws IOException {
        List<Watched<PodView>> pods = new ArrayList<>();
        api.get(PATH + "?" + selector, json -> ResourceWatch.readList(json, PodReader::read, pods));
        collection.replaceAll(pods);
    }

    @Override
    public Written write(PodView pod, PodRecords records) throws IOException {
        String path =
                "/api/v1/namespaces/%s/pods/%s?fieldManager=numaledger-agent".formatted(pod.namespace(), pod.name());
        try {
            String body = patch(pod.uid(), records);
            collection.write(pod.key(), () -> api.patch(path, ApiServer.MERGE_PATCH, body, PodReader::read));
            return Written.DONE;
        } catch (ApiException e) {
            if (e.status() == 404) {
                return Written.GONE;
            }
            // The UID in the patch is of an earlier instance, and a UID cannot be changed.
            if (e.status() == 422 && String.valueOf(e.getMessage()).contains("metadata.uid")) {
                return Written.OTHER_INSTANCE;
            }
            throw e;
        }
    }

    static String patch(String uid, PodRecords records) throws IOException {
        StringWriter body = new StringWriter();
        try (JsonGenerator json = ApiServer.JSON.createGenerator(body)) {
            json.writeStartObject();
            json.writeObjectFieldStart("metadata");
            json.writeStringField("uid", uid);
            json.writeObjectFieldStart("annotations");
            writeRecord(json, Annotations.OBSERVED, records.observed());
            writeRecord(json, Annotations.PLACEMENT, records.placement());
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndObject();
        }
        return body.toString();
    }

    private static void writeRecord(JsonGenerator json, String name, Optional<String> text) throws IOException {
        if (text.isPresent()) {
            json.writeStringField(name, text.get());
        } else {
            json.writeNullField(name);
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
