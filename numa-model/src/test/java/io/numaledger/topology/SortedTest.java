package io.numaledger.topology;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@SuppressWarnings("JdkObsolete") // SortedMap: what the records have
class SortedTest {

    private static final int CHANGES = 200;
    private static final int KEYS = 12;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void isLikeATreeMapAfterEveryChange(long seed) {
        Random random = new Random(seed);
        TreeMap<Integer, String> expected = new TreeMap<>();
        SortedMap<Integer, String> map = Sorted.sorted(expected);
        for (int change = 0; change < CHANGES; change++) {
            int key = random.nextInt(KEYS);
            SortedMap<Integer, String> before = map;
            Map<Integer, String> copy = new TreeMap<>(before);
            if (random.nextBoolean()) {
                expected.put(key, "v" + change);
                map = Sorted.with(map, key, "v" + change);
            } else {
                expected.remove(key);
                map = Sorted.without(map, key);
            }

            assertThat(before).isEqualTo(copy);
            assertThat(map).isEqualTo(expected).hasSameHashCodeAs(expected).isEqualTo(Sorted.sorted(expected));
            assertThat(expected.equals(map)).isTrue();
            assertThat(map.toString()).isEqualTo(expected.toString());
            assertThat(List.copyOf(map.keySet())).isEqualTo(List.copyOf(expected.keySet()));
            assertThat(map.get(key)).isEqualTo(expected.get(key));
            assertThat(map.containsKey(key)).isEqualTo(expected.containsKey(key));
            assertThat(map.subMap(2, 7)).isEqualTo(expected.subMap(2, 7));
            assertThat(map.headMap(key)).isEqualTo(expected.headMap(key));
            assertThat(map.tailMap(key)).isEqualTo(expected.tailMap(key));
        }
        assertThat(map.firstKey()).isEqualTo(expected.firstKey());
        assertThat(map.lastKey()).isEqualTo(expected.lastKey());
    }

    @Test
    void setsAreSortedAndHaveEachElementOnce() {
        SortedSet<Integer> set = Sorted.sortedSet(List.of(3, 1, 2, 3));

        assertThat(set).containsExactly(1, 2, 3).isEqualTo(new TreeSet<>(List.of(1, 2, 3)));
        assertThat(set.subSet(2, 4)).containsExactly(2, 3);
        assertThat(set.headSet(2)).containsExactly(1);
        assertThat(set.tailSet(3)).containsExactly(3);
        assertThat(set.first()).isEqualTo(1);
        assertThat(set.last()).isEqualTo(3);
    }

    @Test
    void sortsWhatHasAnOrderOfItsOwn() {
        SortedMap<String, Integer> descending = new TreeMap<>(Comparator.reverseOrder());
        descending.putAll(Map.of("a", 1, "b", 2));

        assertThat(Sorted.sorted(descending).keySet()).containsExactly("a", "b");
        assertThat(Sorted.sortedSet(descending.keySet())).containsExactly("a", "b");
    }

    @Test
    void listsKeepEqualElements() {
        assertThat(Sorted.sortedList(List.of(2, 1, 2))).containsExactly(1, 2, 2);
    }

    @Test
    void theFirstOfNoneIsAnError() {
        assertThatThrownBy(() -> Sorted.sorted(Map.<String, String>of()).firstKey())
                .isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> Sorted.sortedSet(List.<String>of()).last()).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void aCopyOfACopyIsTheCopy() {
        SortedMap<Integer, SortedMap<Integer, String>> map =
                Sorted.sorted(Map.of(1, new TreeMap<>(Map.of(2, "x"))), Sorted::sorted);

        assertThat(Sorted.sorted(map, Sorted::sorted)).isSameAs(map);
        SortedSet<Integer> set = Sorted.sortedSet(List.of(1));
        assertThat(Sorted.sortedSet(set)).isSameAs(set);
    }

    @Test
    void nobodyChangesACopy() {
        TreeMap<Integer, String> source = new TreeMap<>(Map.of(1, "a"));
        SortedMap<Integer, String> map = Sorted.sorted(source);
        source.put(2, "b");

        assertThat(map).containsOnlyKeys(1);
        assertThatThrownBy(() -> map.put(3, "c")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.remove(1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(map::clear).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> map.keySet().clear()).isInstanceOf(UnsupportedOperationException.class);
    }
}
