package io.numaledger.agent.api;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WatchedCollectionTest {

    private final AtomicInteger changes = new AtomicInteger();
    private final WatchedCollection<String> collection =
            new WatchedCollection<>(changes::incrementAndGet, "new"::equals, (a, b) -> a.charAt(0) != b.charAt(0));

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
    void takesTheEchoOfAWriteOfOursForNoChange() throws IOException {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        answered(new Watched<>("a", "5", "x by us"));
        collection.put(new Watched<>("a", "5", "x by us"));
        assertThat(changes).hasValue(1);
    }

    @Test
    void takesAnEchoThatComesBeforeTheAnswerForNoChange() throws IOException {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        Watched<String> ours = new Watched<>("a", "5", "x by us");
        collection.write("a", () -> {
            collection.put(ours);
            return ours;
        });
        assertThat(changes).hasValue(1);
        assertThat(collection.get("a")).contains("x by us");
    }

    @Test
    void tellsWhatOthersChangedDuringAWrite() throws IOException {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        collection.write("a", () -> {
            collection.put(new Watched<>("a", "4", "y"));
            collection.put(new Watched<>("a", "5", "y by us"));
            assertThat(changes).hasValue(1);
            return new Watched<>("a", "5", "y by us");
        });
        assertThat(changes).hasValue(2);

        collection.write("a", () -> {
            collection.put(new Watched<>("a", "8", "z"));
            return new Watched<>("a", "7", "y by us again");
        });
        assertThat(changes).hasValue(3);
        assertThat(collection.get("a")).contains("z");
    }

    /** Its own event is older than what is known then. */
    @Test
    void tellsWhatOthersChangedThatTheAnswerShowsFirst() throws IOException {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        answered(new Watched<>("a", "5", "y by us"));
        assertThat(changes).hasValue(2);
        collection.put(new Watched<>("a", "4", "y"));
        collection.put(new Watched<>("a", "5", "y by us"));
        assertThat(changes).hasValue(2);
    }

    @Test
    void tellsWhatCameDuringAWriteThatFailed() {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        assertThatThrownBy(() -> collection.write("a", () -> {
                    collection.put(new Watched<>("a", "4", "y"));
                    throw new IOException("refused");
                }))
                .hasMessage("refused");
        assertThat(changes).hasValue(2);
        collection.put(new Watched<>("a", "5", "z"));
        assertThat(changes).hasValue(3);
    }

    @Test
    void outlivesAnAnswerAboutSomethingElse() throws IOException {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        collection.write("a", () -> new Watched<>("/", "", ""));
        collection.put(new Watched<>("a", "2", "y"));
        assertThat(changes).hasValue(2);
    }

    private void answered(Watched<String> answer) throws IOException {
        collection.write(answer.key(), () -> answer);
    }

    @Test
    void doesNotGoBackToWhatIsOlderThanOurWrite() throws IOException {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        answered(new Watched<>("a", "10", "ours"));
        collection.put(new Watched<>("a", "9", "before"));
        collection.replaceAll(List.of(new Watched<>("a", "9", "before")));
        assertThat(collection.get("a")).contains("ours");
    }

    /** Two connections: what the one answers may come after what the other tells. */
    @Test
    void doesNotBringBackWhatIsGoneWhenTheAnswerToAWriteComesLate() throws IOException {
        collection.replaceAll(List.of(new Watched<>("a", "1", "x")));
        collection.remove(new Watched<>("a", "6", "x"));
        answered(new Watched<>("a", "5", "ours"));
        assertThat(collection.values()).isEmpty();
        answered(new Watched<>("a", "7", "created anew by us"));
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
