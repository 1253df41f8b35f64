package io.numaledger.agent.gpu;

import io.numaledger.agent.sysfs.SysfsOptions;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkedSet;
import io.numaledger.gpu.LinkedSetSearch;
import io.numaledger.topology.CpuSet;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code agent probe --gpus}: prints this machine's GPUs or a described system's, or picks a set of them. */
public final class GpuProbe {

    private static final int DONE = 0;
    private static final int NO_ANSWER = 1;

    private final GpuOptions options;
    private final SysfsOptions sysfs;
    private final boolean json;
    private final PrintWriter out;
    private final PrintWriter err;

    /**
     * Reads nothing yet.
     *
     * @param json whether to print JSON rather than a table
     * @param err receives warnings and errors, one line each
     */
    public GpuProbe(GpuOptions options, SysfsOptions sysfs, boolean json, PrintWriter out, PrintWriter err) {
        this.options = options;
        this.sysfs = sysfs;
        this.json = json;
        this.out = out;
        this.err = err;
    }

    /** The exit status: 0, or 1 with one line when there is no answer. */
    public int call() {
        try {
            GpuSystem system = options.from().map(GpuSystemFile::read).orElseGet(this::thisMachine);
            return options.pick().isPresent()
                    ? pick(system.topology(), options.pick().get())
                    : print(system);
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            return NO_ANSWER;
        } finally {
            out.flush();
            err.flush();
        }
    }

    private GpuSystem thisMachine() {
        GpuSurvey.Result result = options.survey(sysfs.sysfsRoot())
                .observe(hostName(), sysfs.probe().probe().topology());
        result.failure().ifPresent(err::println);
        result.warnings().forEach(err::println);
        return result.system();
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "this machine";
        }
    }

    private int print(GpuSystem system) {
        out.print(json ? GpuSystemJson.write(system) + System.lineSeparator() : GpuTable.print(system));
        return DONE;
    }

    private int pick(GpuTopology topology, int size) {
        GpuSet free = usable(topology);
        Optional<LinkedSet> found = new LinkedSetSearch(topology).best(size, free);
        if (found.isEmpty()) {
            err.println("no such set of GPUs: pick=%d candidates=%s of %d; ask for fewer or free more"
                    .formatted(size, free, topology.gpus().size()));
            return NO_ANSWER;
        }
        out.println(json ? asJson(found.get()) : asText(found.get(), topology, free));
        return DONE;
    }

    private GpuSet usable(GpuTopology topology) {
        GpuSet free = options.free().map(text -> freeGpus(text, topology)).orElse(topology.all());
        return options.zones()
                .map(text -> CpuSet.parse(text).ids().boxed().toList())
                .map(zones -> free.and(topology.onNumaNodes(zones)))
                .orElse(free);
    }

    private static GpuSet freeGpus(String text, GpuTopology topology) {
        CpuSet indexes = CpuSet.parse(text);
        CpuSet unknown = indexes.minus(CpuSet.of(topology.all().indexes().toArray()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("there are no such GPUs: free=%s unknown=%s gpus=%d; name others"
                    .formatted(text, unknown, topology.gpus().size()));
        }
        return GpuSet.of(indexes.toArray());
    }

    private static String asJson(LinkedSet set) {
        return "{\"gpus\":[%s],\"links\":%d}".formatted(indexes(set.gpus()), set.links());
    }

    private static String asText(LinkedSet set, GpuTopology topology, GpuSet free) {
        GpuSet left = new LinkedSetSearch(topology).largestClique(free.minus(set.gpus()));
        return "gpus=%s links=%d largest_clique_left=%s%s"
                .formatted(
                        indexes(set.gpus()),
                        set.links(),
                        left.isEmpty() ? "none" : indexes(left),
                        set.provenBest() ? "" : " (best found in bounded time)");
    }

    private static String indexes(GpuSet set) {
        return set.indexes().mapToObj(Integer::toString).collect(Collectors.joining(","));
    }
}
