package io.numaledger.simulator.cluster;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class JournalTableTest {

    @Test
    void showsRequestsVerdictAndWhatIsHeld() {
        ContainerAllocation held = new ContainerAllocation(
                "main",
                CpuSet.of(1, 2),
                List.of(new MemoryBlock("memory", 1024, List.of(0, 1))),
                List.of(new DeviceAllocation("nvidia.com/gpu", "gpu-0", List.of(0))));
        JournalEntry runs = entry("runs", new JournalEntry.Verdict("Running", "", ""))
                .withHeld(new TreeMap<>(Map.of("main", held)));
        JournalEntry refused = entry("refused", new JournalEntry.Verdict("Failed", "TopologyAffinityError", "no"))
                .asDeleted();

        assertThat(JournalTable.of(List.of(refused, runs))).isEqualTo("""
                        POD              NODE  REQUESTS     VERDICT                                  HOLDS
                        default/refused  a     main{cpu=2}  Failed: TopologyAffinityError (deleted)  -
                        default/runs     a     main{cpu=2}  Running                                  main{cpus=1-2 memory=1024@0,1 gpu-0@0}
                        """);
    }

    private static JournalEntry entry(String name, JournalEntry.Verdict verdict) {
        return new JournalEntry(
                "default",
                name,
                "uid-" + name,
                Optional.of("a"),
                new TreeMap<>(Map.of("main", new TreeMap<>(Map.of("cpu", "2")))),
                verdict,
                new TreeMap<>(),
                Optional.empty(),
                false);
    }
}
