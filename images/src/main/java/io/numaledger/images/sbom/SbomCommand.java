package io.numaledger.images.sbom;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** Writes {@code /sbom.cdx.json} of a root file system. */
@Command(
        name = "sbom",
        description =
                "Writes the bill of materials of a root file system (CycloneDX, JSON); a step of ./numaledger rootfs.",
        mixinStandardHelpOptions = true)
public final class SbomCommand implements Callable<Integer> {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Parameters(paramLabel = "ROOT", description = "the root file system")
    private Path root;

    @Option(
            names = "--dependencies",
            required = true,
            paramLabel = "FILE",
            description = "the bill of materials that Maven wrote for the program")
    private Path dependencies;

    @Option(
            names = "--package",
            paramLabel = "PURL",
            description = "a package with C libraries in the root file system; more than one is allowed")
    private List<String> packages = List.of();

    @Override
    public Integer call() throws IOException {
        ObjectNode bom = (ObjectNode) JSON.readTree(dependencies.toFile());
        JarComponents.keepPresent(bom, root);
        ArrayNode components = bom.withArray("components");
        components.add(SystemComponents.javaRuntime(root));
        new TreeSet<>(packages).forEach(purl -> components.add(SystemComponents.ofPackage(purl)));
        JSON.writerWithDefaultPrettyPrinter()
                .writeValue(root.resolve("sbom.cdx.json").toFile(), bom);
        return 0;
    }
}
