package io.numaledger.agent.nvml;

import com.sun.jna.ptr.PointerByReference;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * NVML between its start and its stop. Starting can take seconds per GPU where no other process holds the driver awake;
 * while it is open, GPUs can neither be reset nor switched to MIG mode. So it is kept only while the GPUs are read.
 */
final class NvmlSession implements AutoCloseable {

    /** The most that a GPU topology has. */
    static final int MAX_GPUS = 128;

    private static final int VERSION_LENGTH = 80;

    private final NvmlLibrary library;

    private NvmlSession(NvmlLibrary library) {
        this.library = library;
    }

    /** @throws NvmlException when the driver does not come up */
    static NvmlSession open(NvmlLibrary library) {
        NvmlReturn code = library.call("nvmlInit_v2");
        if (code != NvmlReturn.SUCCESS && code != NvmlReturn.ALREADY_INITIALIZED) {
            throw new NvmlException("cannot start NVML: nvmlInit_v2 returned %s; %s".formatted(code, code.remedy()));
        }
        return new NvmlSession(library);
    }

    /**
     * Looks at every GPU once.
     *
     * @throws NvmlException when not even their number can be read
     */
    NvmlReport read() {
        List<String> warnings = new ArrayList<>();
        Optional<String> driver = driverVersion();
        SortedMap<Integer, NvmlGpu> gpus = new TreeMap<>();
        List<GpuReader> readers = readers(gpus, warnings);
        for (GpuReader reader : readers) {
            NvmlGpu gpu = reader.read(readers, warnings::add);
            gpus.put(gpu.index(), gpu);
        }
        if (!library.missingSymbols().isEmpty()) {
            warnings.add(
                    "the driver's library lacks functions: missing=%s driver=%s; the values that they report are missing; install a newer driver"
                            .formatted(String.join(",", library.missingSymbols()), driver.orElse("unknown")));
        }
        return new NvmlReport(driver, new ArrayList<>(gpus.values()), warnings);
    }

    /** The count includes GPUs that this process may not open; their handles fail. */
    private List<GpuReader> readers(SortedMap<Integer, NvmlGpu> unreadable, List<String> warnings) {
        List<GpuReader> readers = new ArrayList<>();
        int count = count();
        for (int index = 0; index < count; index++) {
            String gpu = "gpu=index " + index;
            PointerByReference handle = new PointerByReference();
            NvmlReturn code = library.call("nvmlDeviceGetHandleByIndex_v2", index, handle);
            if (code == NvmlReturn.SUCCESS) {
                readers.add(new GpuReader(index, library, handle.getValue()));
            } else {
                unreadable.put(index, NvmlGpu.unreadable(index, NvmlGpu.Identity.UNKNOWN, code));
                warnings.add(
                        "cannot open a GPU: %s: nvmlDeviceGetHandleByIndex_v2 returned %s; its links are unknown; %s"
                                .formatted(gpu, code, code.remedy()));
            }
        }
        return readers;
    }

    private int count() {
        int[] count = new int[1];
        NvmlReturn code = library.call("nvmlDeviceGetCount_v2", (Object) count);
        if (code != NvmlReturn.SUCCESS) {
            throw new NvmlException(
                    "cannot count the GPUs: nvmlDeviceGetCount_v2 returned %s; %s".formatted(code, code.remedy()));
        }
        if (count[0] < 0 || count[0] > MAX_GPUS) {
            throw new NvmlException(
                    "the driver reports an impossible number of GPUs: gpus=%d limit=%d; compare with nvidia-smi -L"
                            .formatted(Integer.toUnsignedLong(count[0]), MAX_GPUS));
        }
        return count[0];
    }

    private Optional<String> driverVersion() {
        byte[] out = new byte[VERSION_LENGTH];
        return library.call("nvmlSystemGetDriverVersion", out, VERSION_LENGTH) == NvmlReturn.SUCCESS
                ? Optional.of(NvmlDevice.zeroTerminated(out))
                : Optional.empty();
    }

    @Override
    public void close() {
        library.call("nvmlShutdown");
    }
}
