package io.numaledger.agent.nvml;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The driver's library {@code libnvidia-ml.so.1}, function by function: each is looked up when it is first called, since
 * older drivers lack the newer ones. This class and those that hold it are the only ones that load JNA, and run in the process of
 * {@link NvmlMain} only.
 */
final class NvmlLibrary {

    private static final String NAME = "libnvidia-ml.so.1";
    private static final List<String> DRIVER_ROOTS =
            List.of("/run/nvidia/driver", "/home/kubernetes/bin/nvidia", "/usr/local/nvidia");
    private static final List<String> LIBRARY_DIRECTORIES = List.of(
            "lib64",
            "usr/lib64",
            "usr/lib/x86_64-linux-gnu",
            "usr/lib/aarch64-linux-gnu",
            "lib/x86_64-linux-gnu",
            "lib/aarch64-linux-gnu");

    private final NativeLibrary library;
    private final Map<String, Optional<Function>> functions = new ConcurrentHashMap<>();

    private NvmlLibrary(NativeLibrary library) {
        this.library = library;
    }

    /**
     * Loads the library.
     *
     * @param path of the library; without one, where the loader finds it, else where driver containers put it
     * @throws NvmlException when there is none
     */
    static NvmlLibrary load(Optional<String> path) {
        List<String> places = path.map(List::of).orElseGet(NvmlLibrary::usualPlaces);
        UnsatisfiedLinkError last = new UnsatisfiedLinkError("no place");
        for (String place : places) {
            try {
                return new NvmlLibrary(NativeLibrary.getInstance(place));
            } catch (UnsatisfiedLinkError e) {
                last = e;
            }
        }
        throw new NvmlException(
                "cannot load NVIDIA's management library: library=%s was not found or not loadable; %s"
                        .formatted(places.get(0), NvmlReturn.LIBRARY_NOT_FOUND.remedy()),
                last);
    }

    private static List<String> usualPlaces() {
        return Stream.concat(
                        Stream.of(NAME),
                        DRIVER_ROOTS.stream()
                                .flatMap(root -> LIBRARY_DIRECTORIES.stream()
                                        .map(directory -> root + "/" + directory + "/" + NAME)))
                .toList();
    }

    /** Calls a function that returns a code; one that this library does not have returns {@code FUNCTION_NOT_FOUND}. */
    NvmlReturn call(String symbol, Object... arguments) {
        return functions
                .computeIfAbsent(symbol, this::find)
                .map(function -> NvmlReturn.of(function.invokeInt(arguments)))
                .orElse(NvmlReturn.FUNCTION_NOT_FOUND);
    }

    private Optional<Function> find(String symbol) {
        try {
            return Optional.of(library.getFunction(symbol));
        } catch (UnsatisfiedLinkError missing) {
            return Optional.empty();
        }
    }

    /** The functions that were called and are not there. */
    SortedSet<String> missingSymbols() {
        SortedSet<String> missing = new TreeSet<>();
        functions.forEach((symbol, function) -> {
            if (function.isEmpty()) {
                missing.add(symbol);
            }
        });
        return missing;
    }
}
