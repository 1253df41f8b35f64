package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.bridge.node.PictureSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NamedNodesTest {

    private static final int NODES = 300;

    private final Ledger ledger = new Ledger(PictureSettings.DEFAULT, (pod, reservation) -> {});

    @BeforeEach
    void nodes() {
        IntStream.range(0, NODES)
                .forEach(i -> ledger.nodeSeen(
                        new NodeFacts("node-" + i, Optional.empty(), new TreeMap<>(), new TreeMap<>())));
    }

    /** The order of one call is the guess for the next. */
    @Test
    void findsEachInAnyOrderAgainAndAgain() throws IOException {
        Random random = new Random(3);
        List<String> names = new ArrayList<>(IntStream.range(0, NODES + 50)
                .mapToObj(i -> i < NODES ? "node-" + i : i % 2 == 0 ? "stranger-" + i : "node-" + i)
                .toList());
        for (int call = 0; call < 20; call++) {
            Collections.shuffle(names, random);
            names.set(random.nextInt(names.size()), names.get(0));
            NamedNodes named = ledger.noNodes();
            named.addAll(names);
            assertThat(named).containsExactlyElementsOf(names);
            assertThat(given(named)).isEqualTo(names);
            for (int place = 0; place < names.size(); place++) {
                assertThat(named.at(place) < 0)
                        .as(names.get(place))
                        .isEqualTo(ledger.picture(names.get(place)).isEmpty());
            }
        }
    }

    private static List<String> given(NamedNodes named) throws IOException {
        List<String> given = new ArrayList<>();
        for (int place = 0; place < named.size(); place++) {
            named.give(place, (buffer, start, length) -> given.add(new String(buffer, start, length, UTF_8)));
        }
        return given;
    }

    /** Whoever asks may send any text as a name. */
    @Test
    void givesEachAsJsonHasIt() throws IOException {
        ledger.nodeSeen(new NodeFacts("known\"\n\u00fc", Optional.empty(), new TreeMap<>(), new TreeMap<>()));
        NamedNodes named = ledger.noNodes();
        named.addAll(List.of("known\"\n\u00fc", "strange\"\n\u00fc", "node-1"));
        assertThat(given(named)).containsExactly("known\\\"\\n\u00fc", "strange\\\"\\n\u00fc", "node-1");
    }

    @Test
    void canBeFilledAnew() {
        NamedNodes named = ledger.noNodes();
        named.addAll(List.of("node-1", "stranger"));
        named.clear();
        assertThat(named).isEmpty();
        named.addAll(List.of("node-2", "node-1"));
        assertThat(named).containsExactly("node-2", "node-1");
    }

    @Test
    void hasNoneBeyondItsEnd() {
        NamedNodes named = ledger.noNodes();
        named.add("node-1");
        assertThatThrownBy(() -> named.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
