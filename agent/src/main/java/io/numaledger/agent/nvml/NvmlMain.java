package io.numaledger.agent.nvml;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The process that loads the driver's library for {@link NvmlProbe}: reads the GPUs once, writes the report to standard output, and ends.
 * The process ends also when its standard input does, which is when its parent has ended.
 */
public final class NvmlMain {

    private static final int WITHOUT_PARENT = 1;

    private NvmlMain() {}

    /** @param arguments the path of the library, or none */
    public static void main(String[] arguments) throws IOException {
        Thread parent = new Thread(NvmlMain::endWithParent, "parent");
        parent.setDaemon(true);
        parent.start();
        Optional<String> library = arguments.length == 0 ? Optional.empty() : Optional.of(arguments[0]);
        try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
            try (NvmlSession session = open(library)) {
                write(
                        out,
                        NvmlReportText.of(
                                session.read())); // before the end of the session: a library may crash there as well
            } catch (NvmlException e) {
                write(out, NvmlReportText.ofFailure(String.valueOf(e.getMessage())));
            } catch (RuntimeException | LinkageError e) {
                write(
                        out,
                        NvmlReportText.ofFailure("NVML failed: library=%s: %s; compare with nvidia-smi"
                                .formatted(library.orElse("libnvidia-ml.so.1"), e)));
            }
        }
        System.exit(0);
    }

    /** @throws NvmlException when there is no library, or no driver */
    static NvmlSession open(Optional<String> library) {
        return NvmlSession.open(NvmlLibrary.load(library));
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void endWithParent() {
        try (InputStream in = System.in) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // The parent has ended in this case as well.
        }
        Runtime.getRuntime().halt(WITHOUT_PARENT);
    }
}
