package io.numaledger.agent.nvml;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.OptionalLong;

/** A batch of field values of one device: {@code nvmlFieldValue_t}, 40 bytes each, read in one call. */
final class FieldValues {

    /** {@code NVML_FI_DEV_NVLINK_LINK_COUNT}: how many links the GPU model has. */
    static final int LINK_COUNT = 91;

    /** {@code NVML_FI_DEV_NVLINK_GET_STATE}, the link's number being the scope: 0 inactive, 1 active, 2 asleep. */
    static final int LINK_STATE = 165;

    private static final int SIZE = 40;
    private static final int SCOPE_AT = 4;
    private static final int TYPE_AT = 24;
    private static final int RETURN_AT = 28;
    private static final int VALUE_AT = 32;

    private final ByteBuffer entries;

    private FieldValues(ByteBuffer entries) {
        this.entries = entries;
    }

    /** One field for scopes 0 to {@code count - 1}. */
    static Optional<FieldValues> ask(NvmlDevice device, int field, int count) {
        ByteBuffer entries = ByteBuffer.allocate(SIZE * count).order(ByteOrder.nativeOrder());
        for (int scope = 0; scope < count; scope++) {
            entries.putInt(SIZE * scope, field).putInt(SIZE * scope + SCOPE_AT, scope);
        }
        return device.fields(entries.array(), count).map(FieldValues::new);
    }

    /** The value of an entry; absent where the entry's own code is not success, or the value is no integer. */
    OptionalLong value(int entry) {
        int at = SIZE * entry;
        if (NvmlReturn.of(entries.getInt(at + RETURN_AT)) != NvmlReturn.SUCCESS) {
            return OptionalLong.empty();
        }
        return switch (entries.getInt(at + TYPE_AT)) {
            case 1 -> OptionalLong.of(Integer.toUnsignedLong(entries.getInt(at + VALUE_AT)));
            case 2, 3, 4 -> OptionalLong.of(entries.getLong(at + VALUE_AT));
            case 5 -> OptionalLong.of(entries.getInt(at + VALUE_AT));
            case 6 -> OptionalLong.of(Short.toUnsignedLong(entries.getShort(at + VALUE_AT)));
            default -> OptionalLong.empty();
        };
    }
}
