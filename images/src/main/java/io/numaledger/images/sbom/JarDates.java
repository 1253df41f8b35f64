package io.numaledger.images.sbom;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** When jars were built: the date of their newest entry. Reproducible builds write a date of long ago, which is none. */
record JarDates(Map<String, LocalDate> dates) {

    private static final LocalDate NONE_BEFORE = LocalDate.of(2010, 1, 2);

    JarDates {
        dates = Collections.unmodifiableMap(new TreeMap<>(dates));
    }

    static JarDates of(List<Path> directories) throws IOException {
        Map<String, LocalDate> dates = new TreeMap<>();
        for (Path directory : directories) {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path jar :
                        files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                    newest(jar).ifPresent(date -> dates.put(jar.getFileName().toString(), date));
                }
            }
        }
        return new JarDates(dates);
    }

    private static Optional<LocalDate> newest(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return zip.stream()
                    .map(ZipEntry::getTimeLocal)
                    .map(time -> time.toLocalDate())
                    .filter(date -> !date.isBefore(NONE_BEFORE))
                    .max(Comparator.naturalOrder());
        }
    }

    /** Empty if it is not known. */
    String of(String name, String version) {
        return Optional.ofNullable(dates.get(name + "-" + version + ".jar"))
                .map(LocalDate::toString)
                .orElse("");
    }
}
