package io.numaledger.ledger;

import io.numaledger.ledger.Statement.Checkpoint;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StatementTest {

    private final Ledger ledger = new Ledger();

    @BeforeEach
    void openAccounts() {
        for (String node : new String[] {"n1", "n2"}) {
            ledger.open(
                    node,
                    NodeAccount.of(new TreeMap<>(Map.of(
                            0, Amounts.of(Map.of("cpu", 8000L, "memory", 1L << 34)),
                            1, Amounts.of(Map.of("cpu", 8000L, "memory", 1L << 34))))));
        }
    }

    private static Placement cpus(int zone, long millis) {
        return new Placement.Builder().add(zone, "cpu", millis).build();
    }

    @Test
    void chargesAndCreditsZoneByZone() {
        Statement statement = ledger.statement();

        statement.charge("n1", "a", cpus(0, 6000));
        assertThat(ledger.available("n1", 0, "cpu")).isEqualTo(2000);
        assertThat(ledger.available("n1", 1, "cpu")).isEqualTo(8000);

        assertThat(statement.credit("n1", "a")).isEqualTo(cpus(0, 6000));
        assertThat(ledger.available("n1", 0, "cpu")).isEqualTo(8000);
    }

    @Test
    void movesAVictimWhosePlaceWasTaken() {
        ledger.statement().charge("n1", "victim-a", cpus(0, 8000));
        ledger.statement().charge("n1", "victim-b", cpus(1, 8000));
        SortedMap<String, NodeAccount> before = ledger.snapshot();
        Statement statement = ledger.statement();
        statement.credit("n1", "victim-a");
        statement.credit("n1", "victim-b");
        Checkpoint checkpoint = statement.checkpoint();
        statement.charge("n1", "preemptor", cpus(0, 8000));
        statement.charge("n1", "victim-a", cpus(1, 8000));

        assertThat(statement.netSteps())
                .containsExactly(
                        new Step.Credit("n1", "victim-a", cpus(0, 8000)),
                        new Step.Credit("n1", "victim-b", cpus(1, 8000)),
                        new Step.Charge("n1", "preemptor", cpus(0, 8000)),
                        new Step.Charge("n1", "victim-a", cpus(1, 8000)));
        assertThat(ledger.available("n1", 0, "cpu")).isZero();
        assertThat(ledger.available("n1", 1, "cpu")).isZero();

        statement.rollback(checkpoint);
        statement.discard();
        assertThat(ledger.snapshot()).isEqualTo(before);
    }

    @Test
    void leavesAPodAloneThatGetsItsOldPlace() {
        ledger.statement().charge("n1", "a", cpus(0, 4000));
        Statement statement = ledger.statement();

        statement.credit("n1", "a");
        statement.charge("n1", "a", cpus(0, 4000));

        assertThat(statement.commit()).isEmpty();
    }

    @Test
    void doesNotTakeAnEmptyPlaceForTheOldOne() {
        ledger.statement().charge("n1", "a", cpus(0, 4000));
        Statement statement = ledger.statement();

        statement.credit("n1", "a");
        statement.charge("n1", "a", Placement.EMPTY);

        assertThat(statement.netSteps()).hasSize(2);
        assertThat(ledger.available("n1", 0, "cpu")).isEqualTo(8000);
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void takesBackRandomStepsToTheBit(long seed) {
        Random random = new Random(seed);
        Statement statement = ledger.statement();
        Deque<Checkpoint> checkpoints = new ArrayDeque<>();
        Deque<SortedMap<String, NodeAccount>> snapshots = new ArrayDeque<>();
        SortedMap<String, NodeAccount> start = ledger.snapshot();
        for (int i = 0; i < 200; i++) {
            String node = random.nextBoolean() ? "n1" : "n2";
            String pod = "p" + random.nextInt(6);
            if (random.nextInt(5) == 0) {
                checkpoints.push(statement.checkpoint());
                snapshots.push(ledger.snapshot());
            } else if (random.nextInt(6) == 0 && !checkpoints.isEmpty()) {
                statement.rollback(checkpoints.pop());
                assertThat(ledger.snapshot()).isEqualTo(snapshots.pop());
            } else if (ledger.account(node).holding(pod).isPresent()) {
                statement.credit(node, pod);
            } else {
                statement.charge(node, pod, randomPlacement(random));
            }
        }

        statement.discard();

        assertThat(ledger.snapshot()).isEqualTo(start);
    }

    private static Placement randomPlacement(Random random) {
        Placement.Builder builder = new Placement.Builder();
        for (int zone = 0; zone < 2; zone++) {
            builder.add(zone, "cpu", random.nextInt(4) * 1000L).add(zone, "memory", random.nextLong() >>> 20);
        }
        return builder.build();
    }

    @Test
    void refusesWhatCannotBe() {
        Statement statement = ledger.statement();
        statement.charge("n1", "a", cpus(0, 1000));

        assertThatThrownBy(() -> statement.charge("n1", "a", cpus(1, 1000)))
                .hasMessage("a pod is charged once on a node: node=n1 pod=a; credit it first");
        assertThatThrownBy(() -> statement.credit("n2", "a"))
                .hasMessage("a pod that is credited was charged before: node=n2 pod=a; look on which node it is");
        assertThatThrownBy(() -> statement.charge("n1", "b", cpus(7, 1000)))
                .hasMessage(
                        "a placement lies on zones of its node: node=n1 pod=b numaNode=7; read the node's zones again");
        assertThatThrownBy(() -> statement.charge("n9", "b", cpus(0, 1000)))
                .hasMessage("the ledger has no account of this node: node=n9; open it when the node is first seen");
        statement.commit();
        assertThatThrownBy(() -> statement.credit("n1", "a"))
                .hasMessage("a statement ends with commit or discard: steps=1; start a new one");
    }
}
