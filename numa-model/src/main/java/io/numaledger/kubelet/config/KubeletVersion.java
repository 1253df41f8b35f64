package io.numaledger.kubelet.config;

import io.numaledger.pod.RequestedAmount;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kubelet release 1.{@code minor}. Its methods are the points at which releases decide differently, named by what the
 * newer ones do.
 *
 * <p>1.38 is modelled from its first beta. A change that its release takes back is a method here whose number grows.
 *
 * @param minor 26 or more; the releases up to 1.38 are modelled, later ones are taken to decide as 1.38
 */
public record KubeletVersion(int minor) {

    public static final int OLDEST = 26;
    public static final int NEWEST = 38;

    private static final Pattern TEXT = Pattern.compile("v?1\\.(\\d{1,4})(?:[.+-].*)?");

    public KubeletVersion {
        if (minor < OLDEST) {
            throw new IllegalArgumentException(
                    "kubelets before 1.26 are not modelled: version=1.%d; upgrade the node or leave it to the default scheduler"
                            .formatted(minor));
        }
    }

    /** Reads {@code 1.36}, {@code v1.31.4} or {@code v1.33.13+k3s1}. */
    public static KubeletVersion parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "not a kubelet version: version='%s'; expected such as v1.36.3".formatted(text));
        }
        return new KubeletVersion(Integer.parseInt(matcher.group(1)));
    }

    /** Later than any release whose source was read. */
    public boolean isLaterThanModelled() {
        return minor > NEWEST;
    }

    /** Device totals of a pod: sidecars add to what the containers after them need. */
    public boolean sidecarsCountInDeviceTotals() {
        return minor >= 28;
    }

    /** CPUs, memory and reuse: sidecars keep what they hold. */
    public boolean sidecarsKeepWhatTheyHold() {
        return minor >= 29;
    }

    public boolean saysHowManyCpusAreMissing() {
        return minor >= 29;
    }

    /** {@code full-pcpus-only} checks for enough free whole cores. */
    public boolean checksFreePhysicalCpus() {
        return minor >= 27;
    }

    public boolean namesZeroFreePhysicalCpus() {
        return minor >= 32;
    }

    /** A rest inside one L3 cache is looked for in cores, rounded up. */
    public boolean roundsPartialCacheUp() {
        return minor >= 34;
    }

    /** The Memory Manager refuses in allocation what would break a group of NUMA nodes. */
    public boolean checksMemoryGroupsInAllocation() {
        return minor >= 32;
    }

    /** The check of the state file at the start compares memory by groups of NUMA nodes, before 1.32 by NUMA node. */
    public boolean comparesMemoryOfGroups() {
        return minor >= 32;
    }

    /** Held devices that their plugin does not list any more make the kubelet panic where it makes hints for them again. */
    public boolean panicsOverHeldDevicesThatAreNotListed() {
        return minor >= 34;
    }

    /** Devices give hints only over the NUMA nodes that have such devices. */
    public boolean limitsDeviceHintsToDeviceNodes() {
        return minor >= 36;
    }

    /** {@code distribute-cpus-across-numa} respects {@code align-by-socket}, and takes no more from a NUMA node than it has. */
    public boolean distributesWithinSockets() {
        return minor >= 37;
    }

    /** Containers that the CPU Manager already knows are not checked for whole cores again, such as after a restart. */
    public boolean looksUpCpusBeforeFullCores() {
        return minor >= 37;
    }

    /** The podresources API lists what a pod holds as a whole, before 1.37 each container's share in it. */
    public boolean listsPodsAsAWhole() {
        return minor >= 37;
    }

    /**
     * State files have what pods hold as a whole in a part that earlier kubelets do not read (CPUManagerCheckpointV4,
     * MemoryManagerCheckpointV3).
     */
    public boolean writesPodsApart() {
        return minor >= 37;
    }

    /** In a pod that is managed as a whole, a container without memory of its own is left alone. */
    public boolean skipsContainersWithoutMemory() {
        return minor >= 37;
    }

    /** {@code systemReserved.cpu} and {@code kubeReserved.cpu} in thousandths: each is rounded to the nearest, before 1.37 up. */
    public long reservedCpuMillis(RequestedAmount amount) {
        return minor >= 37 ? amount.nearestMillis() : amount.millis();
    }

    /** A core or socket is free when all of its own CPUs are, before 1.38 when the average number of CPUs is. */
    public boolean comparesItemsWithTheirOwnSize() {
        return minor >= 38;
    }

    /** {@code distribute-cpus-across-cores} takes a CPU of each core of a socket in turn, before 1.38 CPUs in the order of their ids. */
    public boolean takesCpusOfCoresInTurn() {
        return minor >= 38;
    }

    /** {@code distribute-cpus-across-numa} uses at least as many NUMA nodes as the Topology Manager's hint has, where that is possible. */
    public boolean distributesOverAsManyNodesAsTheHint() {
        return minor >= 38;
    }

    /**
     * {@code prefer-align-cpus-by-uncorecache} takes whole L3 caches of every size before parts of any, and none twice: before 1.38, one
     * that is listed for a NUMA node in several sockets is.
     */
    public boolean takesWholeCachesFirst() {
        return minor >= 38;
    }

    /** The combinations of NUMA nodes that {@code distribute-cpus-across-numa} remembers stay as they were (kubernetes#141237). */
    public boolean copiesCombinationsOfNumaNodes() {
        return minor >= 38;
    }

    /** What {@code distribute-cpus-across-numa} has left over is sought in whole groups of CPUs (kubernetes#140730). */
    public boolean countsLeftoverCpusInGroups() {
        return minor >= 38;
    }

    /** Memory totals of a pod: types that only init containers request count, too. */
    public boolean countsMemoryTypesOfInitContainers() {
        return minor >= 38;
    }

    /**
     * After a restart, hints for the memory of a pod's containers are made from what the first of them requests, before 1.38 from the
     * total of the pod, which seldom matches.
     */
    public boolean regeneratesMemoryHintsByContainer() {
        return minor >= 38;
    }

    /** After a restart, a pod that is placed as a whole keeps its memory; before 1.38 it gets memory a second time. */
    public boolean keepsMemoryOfPods() {
        return minor >= 38;
    }

    /** After a restart, a pod that is placed as a whole keeps its CPUs; before 1.38 it is refused or gets CPUs a second time. */
    public boolean keepsCpusOfPods() {
        return minor >= 38;
    }

    /** A pod whose CPUs cannot be divided among its containers gives them back; before 1.38 they are lost. */
    public boolean returnsCpusOfFailedDivision() {
        return minor >= 38;
    }

    /** Policies best-effort and restricted combine preferred hints first, and other hints only where no combination of these is preferred. */
    public boolean mergesPreferredHintsFirst() {
        return minor >= 38;
    }

    /** The Memory Manager reads decimal numbers of so many digits (apimachinery, pkg/api/resource/math.go, maxInt64Factors). */
    public int digitsOfWholeNumbers() {
        return minor >= 38 ? 19 : 18;
    }

    /** Topology Manager policy none checks nothing else, not even invalid options. */
    public boolean ignoresOptionsOfPolicyNone() {
        return minor >= 28;
    }

    @Override
    public String toString() {
        return "1." + minor;
    }
}
