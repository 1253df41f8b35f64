package io.numaledger.images.sbom;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The oldest version of each component that is accepted, and the advisory that older ones have. */
record OldestVersions(List<Row> rows) {

    private static final Pattern NO_DIGITS = Pattern.compile("\\D+");

    /** @param component a group and a name, or a group with all its names: {@code org.example/*} */
    record Row(String component, String version, String advisory) {

        boolean covers(String path) {
            return component.endsWith("/*")
                    ? path.startsWith(component.substring(0, component.length() - 1))
                    : path.equals(component);
        }
    }

    OldestVersions {
        rows = List.copyOf(rows);
    }

    /** @param text lines with a component, a version and an advisory, separated by spaces; lines with # are comments */
    static OldestVersions parse(String text) {
        List<Row> rows = new ArrayList<>();
        text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .forEach(line -> {
                    String[] parts = line.split("\\s+", 3);
                    if (parts.length < 3 || numbers(parts[1]).isEmpty()) {
                        throw new IllegalArgumentException(
                                "no advisory: line='%s'; write a component, a version and the advisory"
                                        .formatted(line));
                    }
                    rows.add(new Row(parts[0], parts[1], parts[2]));
                });
        return new OldestVersions(rows);
    }

    /** Why a version is not accepted. */
    Optional<String> refusal(String path, String version) {
        return rows.stream()
                .filter(row -> row.covers(path) && compare(version, row.version()) < 0)
                .map(row -> "component=%s version=%s has an advisory: %s; take %s or later"
                        .formatted(path, version, row.advisory(), row.version()))
                .findFirst();
    }

    /** By the numbers in them; words such as Final do not count. */
    private static int compare(String left, String right) {
        List<BigInteger> ours = numbers(left);
        List<BigInteger> theirs = numbers(right);
        for (int i = 0; i < Math.max(ours.size(), theirs.size()); i++) {
            int order = at(ours, i).compareTo(at(theirs, i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static BigInteger at(List<BigInteger> numbers, int i) {
        return i < numbers.size() ? numbers.get(i) : BigInteger.ZERO;
    }

    private static List<BigInteger> numbers(String version) {
        return Stream.of(NO_DIGITS.split(version))
                .filter(digits -> !digits.isEmpty())
                .map(BigInteger::new)
                .toList();
    }
}
