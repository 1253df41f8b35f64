package io.numaledger.connection;

import io.numaledger.connection.ConnectionSlots.Slot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionSlotsTest {

    private final List<String> closed = new ArrayList<>();

    @Test
    void replacesTheOldestConnectionOfTheAddressWithTheMost() {
        ConnectionSlots slots = new ConnectionSlots(4, 4);
        take(slots, 1, "a");
        take(slots, 2, "b");
        take(slots, 2, "c");
        take(slots, 1, "d");
        take(slots, 3, "e");
        take(slots, 2, "f");
        take(slots, 2, "g");

        assertThat(closed).containsExactly("a", "b", "c");
    }

    @Test
    void replacesItsOwnOldestConnectionBeyondTheLimitOfAnAddress() {
        ConnectionSlots slots = new ConnectionSlots(9, 2);
        take(slots, 1, "a");
        take(slots, 2, "b");
        take(slots, 2, "c");
        take(slots, 2, "d");

        assertThat(closed).containsExactly("b");
    }

    @Test
    void replacesNoConnectionWhoseRequestIsBeingAnswered() {
        ConnectionSlots slots = new ConnectionSlots(2, 2);
        Slot first = take(slots, 1, "a").orElseThrow();
        Slot second = take(slots, 1, "b").orElseThrow();
        first.answering();
        take(slots, 1, "c").orElseThrow().answering();
        assertThat(closed).containsExactly("b");
        second.giveBack();

        assertThat(take(slots, 2, "d")).isEmpty();
        first.waiting();
        assertThat(take(slots, 2, "e")).isPresent();
        assertThat(closed).containsExactly("b", "a");
    }

    @Test
    void doesNotCountKnownCallers() {
        ConnectionSlots slots = new ConnectionSlots(1, 1);
        for (String known : List.of("a", "b", "c")) {
            Slot slot = take(slots, 1, known).orElseThrow();
            slot.giveBack();
            slot.answering();
            slot.waiting();
            slot.giveBack();
            assertThat(slot.isTaken()).isFalse();
        }
        take(slots, 1, "anonymous");

        assertThat(closed).isEmpty();
    }

    static LongStream seeds() {
        return LongStream.range(0, 50);
    }

    /** The twin keeps connections in the order of their last complete request. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithALongerDescription(long seed) {
        Random random = new Random(seed);
        int most = 1 + random.nextInt(8);
        int perAddress = 1 + random.nextInt(8);
        ConnectionSlots slots = new ConnectionSlots(most, perAddress);
        List<Connection> twin = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            Optional<Connection> one =
                    twin.isEmpty() ? Optional.empty() : Optional.of(twin.get(random.nextInt(twin.size())));
            switch (random.nextInt(6)) {
                case 0 -> one.ifPresent(Connection::answer);
                case 1 ->
                    one.ifPresent(connection -> {
                        connection.slot.waiting();
                        connection.answering = false;
                        twin.remove(connection);
                        twin.add(connection);
                    });
                case 2 ->
                    one.ifPresent(connection -> {
                        connection.slot.giveBack();
                        twin.remove(connection);
                    });
                default -> {
                    int address = random.nextInt(4);
                    String name = "connection-" + i;
                    Optional<Connection> victim = victim(twin, address, most, perAddress);
                    boolean full = twin.size() == most || count(twin, address) == perAddress;
                    Optional<Slot> slot = take(slots, address, name);
                    assertThat(slot.isPresent()).isEqualTo(!full || victim.isPresent());
                    victim.ifPresent(other -> {
                        twin.remove(other);
                        expected.add(other.name);
                    });
                    slot.ifPresent(taken -> twin.add(new Connection(name, address, taken)));
                }
            }
            assertThat(closed).isEqualTo(expected);
        }
    }

    private static Optional<Connection> victim(List<Connection> open, int address, int most, int perAddress) {
        if (count(open, address) == perAddress) {
            return waiting(open, address);
        }
        if (open.size() < most) {
            return Optional.empty();
        }
        for (int size = most + 1; size > 0; size--) {
            int wanted = size;
            List<Connection> equal = open.stream()
                    .filter(each -> count(open, each.address) + (each.address == address ? 1 : 0) == wanted)
                    .toList();
            Optional<Connection> oldest =
                    equal.stream().filter(each -> !each.answering).findFirst();
            if (oldest.isPresent()) {
                return oldest;
            }
        }
        return Optional.empty();
    }

    private static Optional<Connection> waiting(List<Connection> open, int address) {
        return open.stream()
                .filter(each -> each.address == address && !each.answering)
                .findFirst();
    }

    private static int count(List<Connection> open, int address) {
        return (int) open.stream().filter(each -> each.address == address).count();
    }

    private Optional<Slot> take(ConnectionSlots slots, int address, String name) {
        return slots.take(address(address), () -> closed.add(name));
    }

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Connection {

        private final String name;
        private final int address;
        private final Slot slot;
        private boolean answering;

        Connection(String name, int address, Slot slot) {
            this.name = name;
            this.address = address;
            this.slot = slot;
        }

        void answer() {
            slot.answering();
            answering = true;
        }
    }
}
