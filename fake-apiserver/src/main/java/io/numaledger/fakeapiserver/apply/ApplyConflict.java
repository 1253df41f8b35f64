package io.numaledger.fakeapiserver.apply;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A server-side apply changes fields of other managers. The message is that of kube-apiserver. */
public final class ApplyConflict extends RuntimeException {

    /** One field and its owner. */
    public record Field(FieldManager owner, String path) {

        public String message() {
            return "conflict with " + owner;
        }
    }

    private final transient List<Field> fields;

    private ApplyConflict(List<Field> fields, String message) {
        super(message);
        this.fields = fields;
    }

    static ApplyConflict of(SortedMap<FieldManager, FieldSet> conflicts) {
        List<Field> fields = new ArrayList<>();
        conflicts.forEach((owner, set) -> set.paths().forEach(path -> fields.add(new Field(owner, path.toString()))));
        return new ApplyConflict(List.copyOf(fields), describe(fields));
    }

    public List<Field> fields() {
        return fields;
    }

    private static String describe(List<Field> fields) {
        if (fields.size() == 1) {
            Field only = fields.get(0);
            return "Apply failed with 1 conflict: %s: %s".formatted(only.message(), only.path());
        }
        Map<String, List<Field>> byOwner = fields.stream()
                .collect(Collectors.groupingBy(each -> each.owner().toString(), TreeMap::new, Collectors.toList()));
        String lines = byOwner.entrySet().stream()
                .map(each -> "conflicts with %s:\n%s".formatted(each.getKey(), bullets(each.getValue())))
                .collect(Collectors.joining("\n"));
        return "Apply failed with %d conflicts: %s".formatted(fields.size(), lines);
    }

    private static String bullets(List<Field> fields) {
        return fields.stream().map(each -> "- " + each.path()).collect(Collectors.joining("\n"));
    }
}
