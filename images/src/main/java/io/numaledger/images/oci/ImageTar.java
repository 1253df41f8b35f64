package io.numaledger.images.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * An image as one tar file: the OCI image layout (image-spec, image-layout.md), with the {@code manifest.json} of
 * {@code docker save} over the same blobs.
 *
 * @param name   the name to load it under, such as {@code numaledger/agent:0.1.0}
 * @param config the program's entry point, user and environment
 */
record ImageTar(String name, String architecture, JsonNode config, SortedMap<String, String> labels) {

    /**
     * By what a registry names an image and its layers.
     *
     * @param image of the manifest
     */
    record Digests(String image, SortedMap<Layer, String> layers) {}

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TYPE = "application/vnd.oci.image.";

    /**
     * Writes the image.
     *
     * @param root the root file system
     * @param work an empty directory for the blobs
     * @return the digests of what was written
     */
    Digests write(Path root, Path work, Path output) throws IOException {
        List<Layer> layers = new ArrayList<>();
        List<LayerTar> written = new ArrayList<>();
        for (Layer layer : Layer.values()) {
            List<Path> paths = paths(root, layer);
            if (!paths.isEmpty()) {
                layers.add(layer);
                written.add(LayerTar.write(root, paths, work.resolve(layer.name())));
            }
        }
        List<Blob> blobs = new ArrayList<>(written.stream().map(LayerTar::blob).toList());
        Blob image = Blob.of(json(work.resolve("config"), configuration(layers, written)));
        Blob manifest = Blob.of(json(work.resolve("manifest"), manifest(image, blobs)));
        ArrayNode docker = JSON.createArrayNode();
        ObjectNode only = docker.addObject().put("Config", image.path());
        only.putArray("RepoTags").add(name);
        blobs.forEach(blob -> only.withArray("Layers").add(blob.path()));
        blobs.add(image);
        blobs.add(manifest);
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(Files.newOutputStream(output))) {
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            add(tar, "oci-layout", json(work.resolve("layout"), Map.of("imageLayoutVersion", "1.0.0")));
            add(tar, "index.json", json(work.resolve("index"), index(manifest)));
            add(tar, "manifest.json", json(work.resolve("docker"), docker));
            for (Blob blob : blobs) {
                add(tar, blob.path(), blob.file());
            }
        }
        SortedMap<Layer, String> digests = new TreeMap<>();
        for (int i = 0; i < layers.size(); i++) {
            digests.put(layers.get(i), written.get(i).blob().digest());
        }
        return new Digests(manifest.digest(), digests);
    }

    private static List<Path> paths(Path root, Layer layer) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(path -> !path.equals(root))
                    .filter(path -> Layer.of(root.relativize(path)) == layer)
                    .sorted()
                    .toList();
        }
    }

    private ObjectNode configuration(List<Layer> layers, List<LayerTar> written) {
        ObjectNode image = JSON.createObjectNode()
                .put("created", LayerTar.TIME.toString())
                .put("architecture", architecture)
                .put("os", "linux");
        ObjectNode run = image.putObject("config");
        run.setAll((ObjectNode) config);
        labels.forEach(run.putObject("Labels")::put);
        ObjectNode files = image.putObject("rootfs").put("type", "layers");
        written.forEach(layer -> files.withArray("diff_ids").add(layer.diffId()));
        layers.forEach(layer -> image.withArray("history")
                .addObject()
                .put("created", LayerTar.TIME.toString())
                .put("created_by", "numaledger image")
                .put("comment", layer.content()));
        return image;
    }

    private ObjectNode manifest(Blob image, List<Blob> layers) {
        ObjectNode manifest =
                JSON.createObjectNode().put("schemaVersion", 2).put("mediaType", TYPE + "manifest.v1+json");
        manifest.set("config", descriptor(TYPE + "config.v1+json", image));
        layers.forEach(layer -> manifest.withArray("layers").add(descriptor(TYPE + "layer.v1.tar+gzip", layer)));
        labels.forEach(manifest.putObject("annotations")::put);
        return manifest;
    }

    private ObjectNode index(Blob manifest) {
        ObjectNode index = JSON.createObjectNode().put("schemaVersion", 2).put("mediaType", TYPE + "index.v1+json");
        ObjectNode entry = descriptor(TYPE + "manifest.v1+json", manifest);
        entry.putObject("platform").put("architecture", architecture).put("os", "linux");
        entry.putObject("annotations")
                .put("org.opencontainers.image.ref.name", name.substring(name.lastIndexOf(':') + 1))
                .put("io.containerd.image.name", name);
        index.putArray("manifests").add(entry);
        return index;
    }

    private static ObjectNode descriptor(String type, Blob blob) {
        return JSON.createObjectNode()
                .put("mediaType", type)
                .put("digest", blob.digest())
                .put("size", blob.sizeBytes());
    }

    private static Path json(Path file, Object value) throws IOException {
        return Files.write(file, JSON.writeValueAsBytes(value));
    }

    private static void add(TarArchiveOutputStream tar, String name, Path file) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(Files.size(file));
        entry.setLastModifiedTime(FileTime.from(LayerTar.TIME));
        tar.putArchiveEntry(entry);
        Files.copy(file, tar);
        tar.closeArchiveEntry();
    }
}
