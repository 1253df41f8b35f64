package io.numaledger.agent.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Calls on one device handle, with the driver's codes turned into presence and absence. What the device does not have is
 * absent; a lost GPU throws; any other code is absent and is noted.
 */
final class NvmlDevice {

    private static final int UUID_LENGTH = 96;

    private final NvmlLibrary library;
    private final Pointer handle;
    private final Refusals refusals;

    /** @param refusals where calls are noted that fail for a reason of which a person should know */
    NvmlDevice(NvmlLibrary library, Pointer handle, Refusals refusals) {
        this.library = library;
        this.handle = handle;
        this.refusals = refusals;
    }

    Pointer handle() {
        return handle;
    }

    /** A handle that belongs to this device, such as one of its MIG instances. */
    Optional<NvmlDevice> device(String symbol, int index) {
        PointerByReference out = new PointerByReference();
        return answered(symbol, library.call(symbol, handle, index, out))
                ? Optional.of(new NvmlDevice(library, out.getValue(), refusals))
                : Optional.empty();
    }

    Optional<String> uuid() {
        return text("nvmlDeviceGetUUID", UUID_LENGTH);
    }

    Optional<String> text(String symbol, int length) {
        byte[] out = new byte[length];
        return answered(symbol, library.call(symbol, handle, out, length))
                ? Optional.of(zeroTerminated(out))
                : Optional.empty();
    }

    static String zeroTerminated(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
    }

    /** The out parameter of a call whose last argument is one; the others stand between the handle and it. */
    OptionalInt number(String symbol, Object... between) {
        int[] out = new int[1];
        Object[] arguments = Stream.of(Stream.of(handle), Stream.of(between), Stream.of(out))
                .flatMap(argument -> argument)
                .toArray();
        return answered(symbol, library.call(symbol, arguments)) ? OptionalInt.of(out[0]) : OptionalInt.empty();
    }

    /** The first of two out parameters. */
    OptionalInt firstOfTwo(String symbol) {
        int[] first = new int[1];
        return answered(symbol, library.call(symbol, handle, first, new int[1]))
                ? OptionalInt.of(first[0])
                : OptionalInt.empty();
    }

    /** A struct that the call fills; all zero before. */
    Optional<ByteBuffer> struct(String symbol, int size, Object... between) {
        return struct(symbol, new byte[size], between);
    }

    /** A struct that the call fills, with what the caller has put in, such as its version. */
    Optional<ByteBuffer> struct(String symbol, byte[] bytes, Object... between) {
        Object[] arguments = Stream.of(Stream.of(handle), Stream.of(between), Stream.of(bytes))
                .flatMap(argument -> argument)
                .toArray();
        return answered(symbol, library.call(symbol, arguments))
                ? Optional.of(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()))
                : Optional.empty();
    }

    /** The ids of the bits set, when the call fills that many words. */
    Optional<long[]> words(String symbol, int count, int scope) {
        long[] out = new long[count];
        return answered(symbol, library.call(symbol, handle, count, out, scope)) ? Optional.of(out) : Optional.empty();
    }

    /** Field values of a batch, each with its own code, so that the batch as a whole rarely fails. */
    Optional<ByteBuffer> fields(byte[] entries, int count) {
        return answered("nvmlDeviceGetFieldValues", library.call("nvmlDeviceGetFieldValues", handle, count, entries))
                ? Optional.of(ByteBuffer.wrap(entries).order(ByteOrder.nativeOrder()))
                : Optional.empty();
    }

    private boolean answered(String symbol, NvmlReturn code) {
        return switch (code) {
            case SUCCESS -> true;
            case GPU_IS_LOST, RESET_REQUIRED, GPU_NOT_FOUND, VERSION_MISMATCH ->
                throw new GpuUnreadableException(symbol, code);
            default -> {
                if (!code.isAbsence()) {
                    refusals.add(symbol, code);
                }
                yield false;
            }
        };
    }
}
