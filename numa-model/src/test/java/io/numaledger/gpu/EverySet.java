package io.numaledger.gpu;

import io.numaledger.gpu.PossibleSets.Group;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** {@link LinkedChoice} from its definition: by a look at every subset of the machine. */
final class EverySet {

    private EverySet() {}

    static LinkedChoice choice(LinkMatrix links, PossibleSets sets, LinkDemand demand) {
        List<GpuSet> possible = LongStream.range(0, 1L << links.size())
                .mapToObj(mask -> new GpuSet(mask, 0))
                .filter(set -> isPossible(set, sets))
                .toList();
        long most = possible.stream().mapToLong(set -> total(set, links)).max().orElseThrow();
        long meeting =
                possible.stream().filter(set -> isMet(set, links, demand)).count();
        return new LinkedChoice(
                meeting == possible.size() ? LinkVerdict.WILL : meeting > 0 ? LinkVerdict.CAN : LinkVerdict.CANNOT,
                possible.stream().mapToLong(set -> total(set, links)).min().orElseThrow(),
                most,
                possible.size() == 1 ? Optional.of(possible.get(0)) : Optional.empty());
    }

    private static boolean isPossible(GpuSet set, PossibleSets sets) {
        return set.size() == sets.size()
                && sets.gpus().containsAll(set)
                && sets.groups().stream().allMatch(group -> {
                    int count = set.and(group.gpus()).size();
                    return count >= group.least() && count <= group.most();
                });
    }

    private static boolean isMet(GpuSet set, LinkMatrix links, LinkDemand demand) {
        boolean linked = pairs(set).allMatch(pair -> links.links(pair[0], pair[1]) > 0);
        return (linked || !demand.everyPair()) && total(set, links) >= demand.leastLinks();
    }

    private static long total(GpuSet set, LinkMatrix links) {
        return pairs(set).mapToLong(pair -> links.links(pair[0], pair[1])).sum();
    }

    private static Stream<int[]> pairs(GpuSet set) {
        return set.indexes()
                .boxed()
                .flatMap(first ->
                        set.indexes().filter(second -> second > first).mapToObj(second -> new int[] {first, second}));
    }

    /** Up to three groups of free GPUs, as of NUMA nodes, some of them with fewer free than GPUs in question. */
    static PossibleSets randomSets(Random random, GpuTopology machine) {
        int[] groupOf = random.ints(machine.gpus().size(), 0, 4).toArray();
        List<Group> groups = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            int group = number;
            GpuSet gpus = GpuSet.of(
                    machine.all().indexes().filter(gpu -> groupOf[gpu] == group).toArray());
            int most = gpus.size() - (random.nextBoolean() ? 0 : random.nextInt(gpus.size() + 1));
            groups.add(new Group(gpus, random.nextBoolean() ? 0 : random.nextInt(most + 1), most));
        }
        int least = groups.stream().mapToInt(Group::least).sum();
        int most = groups.stream().mapToInt(Group::most).sum();
        return new PossibleSets(groups, least + random.nextInt(most - least + 1));
    }
}
