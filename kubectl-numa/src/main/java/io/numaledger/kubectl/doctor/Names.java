package io.numaledger.kubectl.doctor;

import java.util.List;

/** Names in a finding: not more than a line can hold. */
final class Names {

    private static final int MOST = 5;

    private Names() {}

    /** Such as {@code nodes=a,b} and, for more than five, their number. */
    static String of(String key, List<String> names) {
        String some = key + "=" + String.join(",", names.subList(0, Math.min(MOST, names.size())));
        return names.size() <= MOST ? some : some + " and %d more".formatted(names.size() - MOST);
    }
}
