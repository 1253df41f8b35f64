package io.numaledger.cli;

import picocli.CommandLine.IVersionProvider;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Properties;

/** The version and the commit that the programs were built from. */
public final class ProgramVersion implements IVersionProvider {

    static final String UNKNOWN = "unknown";

    private final Properties properties;

    public ProgramVersion() {
        this(properties());
    }

    /** @param properties as the build writes them */
    ProgramVersion(Properties properties) {
        this.properties = properties;
    }

    private static Properties properties() {
        Properties properties = new Properties();
        try (InputStream file = ProgramVersion.class.getResourceAsStream("version.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }

    /** Such as {@code 0.1.0}. */
    public String version() {
        return known("version");
    }

    /** Abbreviated, such as {@code 3a7b51b}; {@code unknown} for a build outside of a git repository. */
    public String commit() {
        return known("commit");
    }

    /** The https URL of the repository with the source code, if the build was told it ({@code -Dnumaledger.source}). */
    public Optional<String> source() {
        return Optional.of(known("source"))
                .filter(url -> url.startsWith("https://"))
                .map(url -> url.replaceFirst("(\\.git)?/?$", ""));
    }

    private String known(String key) {
        String value = properties.getProperty(key, UNKNOWN);
        return value.isEmpty() || value.startsWith("${") ? UNKNOWN : value;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"numaledger %s (commit %s)".formatted(version(), commit())};
    }
}
