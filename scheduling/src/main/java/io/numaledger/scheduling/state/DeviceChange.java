package io.numaledger.scheduling.state;

import io.numaledger.kubelet.device.Device;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the Node and the zones of one node say about one device resource, and since when they differ. The kubelet writes the Node about every
 * ten seconds; the agent asks the kubelet itself, at once when the Node or the kubelet's sockets change. Either may be first:
 *
 * <table>
 * <caption>What follows from a change</caption>
 * <tr><td>the zones have changed since both were equal, and are equal now</td><td>known</td></tr>
 * <tr><td>only the Node has changed, even back to what it was</td><td>pods are held until {@link #NEXT_LOOK} has passed</td></tr>
 * <tr><td>the zones have changed last, and differ</td><td>the zones are right; the Node follows</td></tr>
 * <tr><td>they differ after {@link #NEXT_LOOK}</td><td>they contradict each other</td></tr>
 * </table>
 *
 * @param zonesChanged since both were equal
 * @param since the last change; absent: both are equal
 * @param nodeLast the Node changed last
 */
record DeviceChange(Amounts amounts, boolean zonesChanged, Optional<Instant> since, boolean nodeLast) {

    /** The agent has asked the kubelet again by then: the default of its {@code --device-interval}. */
    static final Duration NEXT_LOOK = Duration.ofSeconds(30);

    /**
     * The amounts of the resource.
     *
     * @param onNode the healthy devices that the Node shows
     * @param inZones the devices of the kubelet model; absent: no zone has any
     * @param ofAgent other exporters may publish devices in each of their zones, or none without zones
     */
    record Amounts(long onNode, Optional<List<Device>> inZones, boolean ofAgent) {

        private boolean agree() {
            return ofAgent ? healthy().size() == onNode : inZones.isPresent() || onNode == 0;
        }

        private boolean hasSameZones(Amounts other) {
            return inZones.equals(other.inZones) || healthy().equals(other.healthy());
        }

        private List<String> healthy() {
            return inZones.orElse(List.of()).stream()
                    .filter(Device::healthy)
                    .map(Device::id)
                    .toList();
        }
    }

    static DeviceChange first(Amounts amounts, Instant now) {
        return new DeviceChange(amounts, false, Optional.of(now).filter(any -> !amounts.agree()), true);
    }

    DeviceChange next(Amounts next, Instant now) {
        boolean nodeChanged = next.onNode != amounts.onNode;
        boolean zonesChange = !next.hasSameZones(amounts);
        if (!nodeChanged && !zonesChange) {
            return new DeviceChange(next, zonesChanged, since, nodeLast);
        }
        boolean changed = zonesChanged || zonesChange;
        boolean known = next.agree() && (changed || !next.ofAgent);
        return known
                ? new DeviceChange(next, false, Optional.empty(), false)
                : new DeviceChange(next, changed, Optional.of(now), nodeChanged);
    }

    /** When the agent has asked the kubelet again; absent: there is nothing to wait for. */
    Optional<Instant> looked() {
        return since.map(changed -> changed.plus(NEXT_LOOK));
    }

    /** Whether the agent's answer is awaited. */
    boolean isHeld(Instant now) {
        return nodeLast && looked().filter(now::isBefore).isPresent();
    }

    /** Whether Node and zones differ for good. A resource of no zone need not come from a device plugin. */
    boolean contradicts(Instant now) {
        return amounts.inZones.isPresent()
                && !amounts.agree()
                && looked().filter(at -> !now.isBefore(at)).isPresent();
    }
}
