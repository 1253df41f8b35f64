package io.numaledger.images.sbom;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** Lists the versions in bills of materials, and fails if one is known to have an advisory. */
@Command(
        name = "dependencies",
        description =
                "Lists the components of bills of materials with version and date, and fails if one is too old; a step of ./release.",
        mixinStandardHelpOptions = true)
public final class DependenciesCommand implements Callable<Integer> {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Parameters(paramLabel = "SBOM", arity = "1..*", description = "bills of materials (CycloneDX, JSON)")
    private List<Path> boms = List.of();

    @Option(
            names = "--advisories",
            required = true,
            paramLabel = "FILE",
            description = "the oldest accepted version of each component")
    private Path advisories;

    @Option(
            names = "--jars",
            paramLabel = "DIR",
            description = "where the components' jars are, for their dates; more than one is allowed")
    private List<Path> jars = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        JarDates dates = JarDates.of(jars);
        OldestVersions accepted = OldestVersions.parse(Files.readString(advisories));
        SortedSet<String> listed = new TreeSet<>();
        List<String> refused = new ArrayList<>();
        for (Path bom : boms) {
            for (JsonNode component : JSON.readTree(bom.toFile()).path("components")) {
                String group = component.path("group").asText();
                String name = component.path("name").asText();
                String version = component.path("version").asText();
                String path = group.isEmpty() ? name : group + "/" + name;
                String row = "%-70s %-40s %s".formatted(path, version, dates.of(name, version));
                if (listed.add(row.stripTrailing())) {
                    accepted.refusal(path, version).ifPresent(refused::add);
                }
            }
        }
        listed.forEach(spec.commandLine().getOut()::println);
        spec.commandLine().getOut().flush();
        refused.forEach(spec.commandLine().getErr()::println);
        return refused.isEmpty() ? 0 : 1;
    }
}
