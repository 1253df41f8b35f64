package io.numaledger.agent.api;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class WatchedCollectionTest {

    private final AtomicInteger changes = new AtomicInteger();
    private final WatchedCollection<String> collection =
            new WatchedCollection<>(changes::incrementAndGet, "new"::equals);

    @Test
    void tellsAChangeOfWhatMattersAndNoOther() {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        collection.put(new Watched<>("a", "2", "x"));
        assertThat(changes).hasValue(1);
        collection.put(new Watched<>("a", "3", "y"));
        assertThat(changes).hasValue(2);
        assertThat(collection.values()).containsExactly("y");
    }

    @Test
    void keepsSilentAboutANewOneOfWhichThereIsNothingToSay() {
        collection.put(new Watched<>("a", "1", "new"));
        assertThat(changes).hasValue(0);
        assertThat(collection.values()).containsExactly("new");
        collection.put(new Watched<>("a", "2", "y"));
        collection.put(new Watched<>("a", "3", "new"));
        assertThat(changes).hasValue(2);
    }

    @Test
    void takesTheEchoOfAWriteOfOursForNoChange() {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        collection.written(new Watched<>("a", "5", "ours"));
        collection.put(new Watched<>("a", "5", "ours"));
        assertThat(changes).hasValue(1);
    }

    @Test
    void doesNotGoBackToWhatIsOlderThanOurWrite() {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        collection.written(new Watched<>("a", "10", "ours"));
        collection.put(new Watched<>("a", "9", "before"));
        collection.replaceAll(List.of(new Watched<>("a", "9", "before")));
        assertThat(collection.get("a")).contains("ours");
    }

    /** Two connections: what the one answers may come after what the other tells. */
    @Test
    void doesNotBringBackWhatIsGoneWhenTheAnswerToAWriteComesLate() {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        collection.remove(new Watched<>("a", "6", "x"));
        collection.written(new Watched<>("a", "5", "ours"));
        assertThat(collection.values()).isEmpty();
        collection.written(new Watched<>("a", "7", "created anew by us"));
        assertThat(collection.values()).containsExactly("created anew by us");
    }

    @Test
    void forgetsWhatAListDoesNotNameAnyMore() {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x"), new Watched<>("b", "1", "y")));
        collection.replaceAll(List.of(new Watched<>("b", "1", "y")));
        assertThat(collection.values()).containsExactly("y");
        collection.remove(new Watched<>("b", "2", "y"));
        collection.remove(new Watched<>("b", "2", "y"));
        assertThat(changes).hasValue(3);
        assertThat(collection.complete()).isTrue();
    }
}
