package io.numaledger.images.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.cli.ProgramVersion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Packs a root file system into an image. */
@Command(
        name = "pack",
        description = "Packs a root file system into an image; a step of ./numaledger image.",
        mixinStandardHelpOptions = true)
public final class PackCommand implements Callable<Integer> {

    private static final String LABEL = "org.opencontainers.image.";

    @Parameters(paramLabel = "PROGRAM", description = "agent or bridge")
    private String program;

    @Parameters(paramLabel = "ROOT", description = "its root file system")
    private Path root;

    @Option(names = "--config", required = true, paramLabel = "FILE", description = "its config.json")
    private Path config;

    @Option(names = "--output", required = true, paramLabel = "FILE", description = "the image")
    private Path output;

    @Option(
            names = "--tag",
            paramLabel = "NAME:TAG",
            description = "name to load the image under (default: numaledger/PROGRAM:VERSION)")
    private @Nullable String tag;

    @Option(names = "--source", paramLabel = "URL", description = "where the source code is, for the image's labels")
    private @Nullable String source;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        String name = tag != null ? tag : "numaledger/%s:%s".formatted(program, new ProgramVersion().version());
        JsonNode run = new ObjectMapper().readTree(config.toFile());
        Path work = Files.createTempDirectory("numaledger-image");
        try {
            ImageTar.Digests digests = new ImageTar(name, architecture(), run, labels()).write(root, work, output);
            Files.write(beside(".digests.txt"), lines(digests));
            Files.copy(root.resolve("sbom.cdx.json"), beside(".cdx.json"), StandardCopyOption.REPLACE_EXISTING);
            command.commandLine()
                    .getOut()
                    .printf(
                            "the image: name=%s file=%s digest=%s MiB=%d%n",
                            name, output, digests.image(), Files.size(output) >> 20);
        } finally {
            try (Stream<Path> all = Files.walk(work)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
        return 0;
    }

    /** A file beside the image, with the image's name and another ending. */
    private Path beside(String ending) {
        return output.resolveSibling(output.getFileName().toString().replaceFirst("\\.tar$", "") + ending);
    }

    private static List<String> lines(ImageTar.Digests digests) {
        List<String> lines = new ArrayList<>(List.of(digests.image() + "  image"));
        digests.layers().forEach((layer, digest) -> lines.add("%s  layer: %s".formatted(digest, layer.content())));
        return lines;
    }

    private SortedMap<String, String> labels() {
        ProgramVersion version = new ProgramVersion();
        SortedMap<String, String> labels = new TreeMap<>();
        labels.put(LABEL + "title", "numaledger-" + program);
        labels.put(LABEL + "version", version.version());
        labels.put(LABEL + "revision", version.commit());
        labels.put(LABEL + "licenses", "Apache-2.0");
        if (source != null) {
            labels.put(LABEL + "source", source);
        }
        return labels;
    }

    /** The machine that the Java runtime is for, by its ELF header: e_machine, two bytes at 18, the low one first. */
    private String architecture() throws IOException {
        Path java = root.resolve("jre/bin/java");
        try (InputStream in = Files.newInputStream(java)) {
            int machine = in.readNBytes(20)[18] & 0xff;
            return switch (machine) {
                case 62 -> "amd64";
                case 183 -> "arm64";
                default ->
                    throw new IOException(
                            "no image can be made for this machine: file=%s e_machine=%d".formatted(java, machine));
            };
        }
    }
}
