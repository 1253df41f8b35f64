package io.numaledger.nrt.profile;

import java.util.Comparator;
import java.util.List;

/**
 * Attributes as another exporter orders them.
 *
 * @param first these before all others
 * @param last these after all others, which stand between in the order of their names
 */
record AttributeOrder(List<String> first, List<String> last) implements Comparator<String> {

    @Override
    public int compare(String a, String b) {
        int byRank = Integer.compare(rank(a), rank(b));
        return byRank != 0 ? byRank : a.compareTo(b);
    }

    private int rank(String name) {
        if (first.contains(name)) {
            return first.indexOf(name) - first.size();
        }
        return last.indexOf(name) + 1;
    }
}
