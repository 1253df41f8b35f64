package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.NvLink;
import io.numaledger.agent.nvml.NvmlGpu;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciAddress;

import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Counts the links of each pair from the ends that each GPU reports. A pair that is wired directly has its own links; any
 * other pair shares what the two have to switches. One GPU's switch links say nothing about another's: its fabric may be
 * down.
 */
final class LinkCounter {

    private final List<JoinedGpu> gpus;
    private final Set<PciAddress> switches;
    private final int[][] direct;
    private final int[] toSwitches;

    LinkCounter(List<JoinedGpu> gpus, Set<PciAddress> switches) {
        this.gpus = gpus;
        this.switches = switches;
        this.direct = new int[gpus.size()][gpus.size()];
        this.toSwitches = new int[gpus.size()];
        NavigableMap<PciAddress, Integer> places = new TreeMap<>();
        for (int gpu = 0; gpu < gpus.size(); gpu++) {
            int place = gpu;
            gpus.get(gpu).address().ifPresent(address -> places.put(address, place));
        }
        for (int gpu = 0; gpu < gpus.size(); gpu++) {
            count(gpu, places);
        }
    }

    private void count(int gpu, NavigableMap<PciAddress, Integer> places) {
        List<NvLink> links = gpus.get(gpu).driver().map(NvmlGpu::links).orElse(List.of());
        for (NvLink link : links) {
            Optional<Integer> other = link.remote().map(places::get);
            if (link.isUp() && other.isPresent() && other.get() != gpu) {
                direct[gpu][other.get()]++;
            } else if (link.isUp() && other.isEmpty() && leadsToSwitch(link)) {
                toSwitches[gpu]++;
            }
        }
    }

    /** A link to a switch is reported as such, is hidden, or is known from sysfs. A link to a processor does not count. */
    private boolean leadsToSwitch(NvLink link) {
        return switch (link.remoteType()) {
            case SWITCH -> true;
            case CPU -> false;
            case GPU, UNKNOWN ->
                link.remote().isEmpty() || switches.contains(link.remote().get());
        };
    }

    /** If two ends disagree, the smaller count is used, with one warning per pair. */
    LinkMatrix matrix(Consumer<String> warnings) {
        int[][] counts = new int[gpus.size()][gpus.size()];
        for (int row = 0; row < counts.length; row++) {
            for (int column = 0; column < row; column++) {
                if (bothReadable(row, column) && direct[row][column] != direct[column][row]) {
                    warnings.accept(disagreement(row, column));
                }
                int own = Math.min(direct[row][column], direct[column][row]);
                counts[row][column] = own > 0 ? own : Math.min(toSwitches[row], toSwitches[column]);
                counts[column][row] = counts[row][column];
            }
        }
        return LinkMatrix.of(counts);
    }

    private boolean bothReadable(int row, int column) {
        return gpus.get(row).readable() && gpus.get(column).readable();
    }

    private String disagreement(int row, int column) {
        return "the two ends of an NVLink disagree: gpus=%d,%d counts=%d,%d; the smaller is taken; run nvidia-smi nvlink --status"
                .formatted(column, row, direct[column][row], direct[row][column]);
    }

    LinkKind kind() {
        for (int row = 0; row < gpus.size(); row++) {
            for (int column = 0; column < row; column++) {
                if (Math.min(direct[row][column], direct[column][row]) > 0) {
                    return LinkKind.DIRECT;
                }
            }
        }
        for (int links : toSwitches) {
            if (links > 0) {
                return LinkKind.SWITCH;
            }
        }
        return LinkKind.NONE;
    }
}
