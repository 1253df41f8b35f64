package io.numaledger.placement;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class PlacementObserverTest {

    private static final MachineTopology MACHINE =
            new MachineTopology(CpuSet.range(0, 7), List.of(node(0, "0-3"), node(8, "4-7")), List.of());
    private static final List<MemoryBlock> ALLOCATABLE = List.of(memory(100, 0), memory(100, 8));

    @Test
    void countsCpusWhereTheyAreAndTheOverlapOfPodAndContainersOnce() {
        PodAllocation pod = new PodAllocation(
                "a", "p", List.of(container("main", "2-4"), container("side", "5")), CpuSet.parse("2-5"), List.of());
        assertThat(observe(pod)).containsExactly(placement(0, "cpu", 2000).plus(placement(8, "cpu", 2000)));
    }

    @Test
    void countsADeviceOnEachOfItsNumaNodesAndOneWithoutTopologyNowhere() {
        PodAllocation pod = pod(
                "p",
                List.of(),
                new DeviceAllocation("x/nic", "0", List.of(0, 8)),
                new DeviceAllocation("x/nic", "1", List.of(8)),
                new DeviceAllocation("x/nic", "2", List.of()));
        assertThat(observe(pod)).containsExactly(placement(0, "x/nic", 1).plus(placement(8, "x/nic", 2)));
    }

    @Test
    void looksAgainOnlyAtPodsThatChangedUnlessMemoryIsShared() {
        PlacementObserver observer = new PlacementObserver(MACHINE, ALLOCATABLE);
        PodAllocation same = pod("same", List.of(memory(10, 0)));
        PodAllocation before = pod("other", List.of(memory(20, 8)));
        Placement first = observer.observe(List.of(same, before), Map.of()).get(0);

        PodAllocation after = pod("other", List.of(memory(30, 8)));
        List<Placement> again = observer.observe(List.of(after, same), Map.of());
        assertThat(again.get(0)).isEqualTo(placement(8, "memory", 30));
        assertThat(again.get(1)).isSameAs(first);

        PodAllocation shared = pod("other", List.of(memory(100, 0, 8)));
        assertThat(observer.observe(List.of(shared, same), Map.of()))
                .containsExactly(
                        placement(0, "memory", 90).plus(placement(8, "memory", 10)), placement(0, "memory", 10));
    }

    @Test
    void repeatsAWarningWhileItsCauseLasts() {
        PlacementObserver observer = new PlacementObserver(MACHINE, ALLOCATABLE);
        List<PodAllocation> pods =
                List.of(pod("good", List.of()), pod("p", List.of(), new DeviceAllocation("cpu", "d", List.of(0))));
        observer.observe(pods, Map.of());
        observer.observe(pods, Map.of());
        assertThat(observer.warnings()).hasSize(1);
        observer.observe(pods.subList(0, 1), Map.of());
        assertThat(observer.warnings()).isEmpty();
    }

    @Test
    void leavesOutADeviceWithTheNameOfCpus() {
        PlacementObserver observer = new PlacementObserver(MACHINE, ALLOCATABLE);
        PodAllocation pod = pod("p", List.of(), new DeviceAllocation("cpu", "d", List.of(0)));

        assertThat(observer.observe(List.of(pod), Map.of())).containsExactly(Placement.EMPTY);
        assertThat(observer.warnings())
                .containsExactly("a device plugin has the resource name cpu: pod=a/p device=d; the device is left out");
    }

    @Test
    void leavesOutWhatThisMachineDoesNotHaveAndSaysSo() {
        PlacementObserver observer = new PlacementObserver(MACHINE, ALLOCATABLE);
        PodAllocation pod = new PodAllocation(
                "a",
                "p",
                List.of(new ContainerAllocation(
                        "c",
                        CpuSet.of(1, 99),
                        List.of(memory(5, 3)),
                        List.of(new DeviceAllocation("x/nic", "0", List.of(-1))))));
        assertThat(observer.observe(List.of(pod), Map.of())).containsExactly(placement(0, "cpu", 1000));
        assertThat(observer.warnings())
                .containsExactly(
                        "the kubelet names CPUs that no NUMA node of this machine has: pod=a/p cpus=99; they are left out",
                        "the kubelet names a NUMA node that this machine does not have: pod=a/p device=x/nic/0 numaNode=-1; "
                                + "it is left out",
                        "the kubelet names a NUMA node that this machine does not have: pod=a/p memory=memory numaNode=3; "
                                + "it is left out");
    }

    @Test
    void fillsTheLowestNodeFirstOfWhatIsLeftInOrderOfTheList() {
        PodAllocation first = pod("first", List.of(memory(120, 0, 8)));
        PodAllocation second = pod("second", List.of(memory(40, 0, 8)));
        PodAllocation single = pod("single", List.of(memory(10, 0)));
        assertThat(observe(first, second, single))
                .containsExactly(
                        placement(0, "memory", 90).plus(placement(8, "memory", 30)),
                        placement(8, "memory", 40),
                        placement(0, "memory", 10));
    }

    @Test
    void keepsASplitThatWasWrittenWhileTheBlockLasts() {
        PodAllocation pod = pod("p", List.of(memory(30, 0, 8)));
        Placement written = placement(0, "memory", 5).plus(placement(8, "memory", 25));
        PlacementObserver observer = new PlacementObserver(MACHINE, ALLOCATABLE);
        assertThat(observer.observe(List.of(pod), Map.of("a/p", written))).containsExactly(written);
    }

    @Test
    void givesUpAnEarlierRecordThatDoesNotAddUpToTheBlock() {
        PodAllocation pod = pod("p", List.of(memory(30, 0, 8), memory(7, 8)));
        PlacementObserver observer = new PlacementObserver(MACHINE, ALLOCATABLE);
        Placement tooMuch = placement(0, "memory", 30).plus(placement(8, "memory", 8));
        Placement tooLittleOnEight = placement(0, "memory", 36).plus(placement(8, "memory", 1));
        Placement fresh = placement(0, "memory", 30).plus(placement(8, "memory", 7));
        assertThat(observer.observe(List.of(pod), Map.of("a/p", tooMuch))).containsExactly(fresh);
        assertThat(observer.observe(List.of(pod), Map.of("a/p", tooLittleOnEight)))
                .containsExactly(fresh);
    }

    @Test
    void keepsTheSumWhereTheSourcesDisagree() {
        PodAllocation pod = pod("p", List.of(memory(250, 0, 8)));
        assertThat(observe(pod)).containsExactly(placement(0, "memory", 150).plus(placement(8, "memory", 100)));
    }

    private static List<Placement> observe(PodAllocation... pods) {
        return new PlacementObserver(MACHINE, ALLOCATABLE).observe(List.of(pods), Map.of());
    }

    private static PodAllocation pod(String name, List<MemoryBlock> memory, DeviceAllocation... devices) {
        return new PodAllocation(
                "a", name, List.of(new ContainerAllocation("c", CpuSet.EMPTY, memory, List.of(devices))));
    }

    private static ContainerAllocation container(String name, String cpus) {
        return new ContainerAllocation(name, CpuSet.parse(cpus), List.of(), List.of());
    }

    private static MemoryBlock memory(long bytes, Integer... numaNodes) {
        return new MemoryBlock("memory", bytes, List.of(numaNodes));
    }

    private static Placement placement(int numaNode, String resource, long amount) {
        return new Placement.Builder().add(numaNode, resource, amount).build();
    }

    private static NumaNode node(int id, String cpus) {
        return new NumaNode(id, CpuSet.parse(cpus), OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }
}
