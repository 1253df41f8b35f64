package io.numaledger.agent.nvml;

import io.numaledger.gpu.PciAddress;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads the NVLinks of one device. */
final class NvLinkReader {

    /** More links than any GPU has; the header's own limit was raised four times, to 36. */
    static final int MAX_LINKS = 64;

    private static final int PCI_INFO_SIZE = 68;
    private static final int PCI_BUS_ID_AT = 36;
    private static final int PCI_BUS_ID_LENGTH = 32;

    private final NvmlDevice device;

    NvLinkReader(NvmlDevice device) {
        this.device = device;
    }

    /** The links by ascending number, inactive ones included; empty on a GPU without NVLink. */
    List<NvLink> read() {
        OptionalLong reported = FieldValues.ask(device, FieldValues.LINK_COUNT, 1)
                .map(count -> count.value(0))
                .orElseGet(OptionalLong::empty);
        int count = (int) Math.max(0, Math.min(reported.orElse(MAX_LINKS), MAX_LINKS));
        Optional<FieldValues> states =
                count == 0 ? Optional.empty() : FieldValues.ask(device, FieldValues.LINK_STATE, count);
        List<NvLink> links = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            Optional<NvLink.State> state = state(number, states);
            if (state.isPresent()) {
                links.add(link(number, state.get()));
            } else if (reported.isEmpty()) {
                return links;
            }
        }
        return links;
    }

    /** The field knows sleeping links, which the call of older drivers reports as inactive. */
    private Optional<NvLink.State> state(int number, Optional<FieldValues> states) {
        OptionalLong field = states.map(values -> values.value(number)).orElseGet(OptionalLong::empty);
        if (field.isPresent()) {
            return Optional.of(NvLink.State.of(field.getAsLong()));
        }
        OptionalInt active = device.number("nvmlDeviceGetNvLinkState", number);
        return active.isPresent() ? Optional.of(NvLink.State.of(active.getAsInt())) : Optional.empty();
    }

    private NvLink link(int number, NvLink.State state) {
        if (state == NvLink.State.INACTIVE) {
            return new NvLink(number, state, Optional.empty(), Optional.empty(), NvLink.RemoteType.UNKNOWN);
        }
        OptionalInt version = device.number("nvmlDeviceGetNvLinkVersion", number);
        OptionalInt type = device.number("nvmlDeviceGetNvLinkRemoteDeviceType", number);
        return new NvLink(
                number,
                state,
                version.isPresent() ? NvLink.versionText(version.getAsInt()) : Optional.empty(),
                device.struct("nvmlDeviceGetNvLinkRemotePciInfo_v2", PCI_INFO_SIZE, number)
                        .flatMap(NvLinkReader::address),
                type.isPresent() ? NvLink.RemoteType.of(type.getAsInt()) : NvLink.RemoteType.UNKNOWN);
    }

    /** The PCI address of the device itself. */
    Optional<PciAddress> ownAddress() {
        return device.struct("nvmlDeviceGetPciInfo_v3", PCI_INFO_SIZE).flatMap(NvLinkReader::address);
    }

    /** {@code nvmlPciInfo_t}: the text if there is one, else the numbers; the address of a hidden device is absent. */
    private static Optional<PciAddress> address(ByteBuffer info) {
        byte[] busId = new byte[PCI_BUS_ID_LENGTH];
        info.get(PCI_BUS_ID_AT, busId);
        String text = NvmlDevice.zeroTerminated(busId);
        if (!text.isEmpty()) {
            return Optional.of(text).filter(PciAddress::isAddress).map(PciAddress::parse);
        }
        long domain = Integer.toUnsignedLong(info.getInt(16));
        int bus = info.getInt(20);
        int slot = info.getInt(24);
        boolean real = (domain | bus | slot) != 0 && (bus & ~0xff) == 0 && (slot & ~0x1f) == 0;
        return real ? Optional.of(new PciAddress(domain, bus, slot, 0)) : Optional.empty();
    }
}
