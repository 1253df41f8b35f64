package io.numaledger.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the operating system says of a running Java process. */
public record ProcessFigures(long pid) {

    /** VmRSS. */
    public long residentKiB() {
        return status("VmRSS:");
    }

    /** VmHWM: the most that it was resident with. */
    public long peakKiB() {
        return status("VmHWM:");
    }

    /** RssAnon: what belongs to this process alone, without the pages of files. */
    public long anonymousKiB() {
        return status("RssAnon:");
    }

    private long status(String field) {
        return lines("status")
                .filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    /** CPU time of all threads since the start of the process, ended threads included. The kernel counts in steps of 10 ms. */
    public long cpuMillis() {
        String stat = lines("stat").findFirst().orElseThrow();
        // After the name, which may contain anything: state is field 3, utime 14, stime 15, in ticks of 10 ms.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10;
    }

    public long threads() {
        return count("task");
    }

    public long openFiles() {
        return count("fd");
    }

    /** The output of a {@code jcmd} command, such as {@code GC.run}. */
    public String jcmd(String command) {
        try {
            Process process = new ProcessBuilder(
                            System.getProperty("java.home") + "/bin/jcmd", Long.toString(pid), command)
                    .redirectErrorStream(true)
                    .start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run jcmd: pid=%d command=%s".formatted(pid, command), e);
        }
    }

    private Stream<String> lines(String name) {
        try {
            return Files.readAllLines(proc(name)).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(ended(), e);
        }
    }

    private long count(String name) {
        try (Stream<Path> entries = Files.list(proc(name))) {
            return entries.count();
        } catch (IOException e) {
            throw new UncheckedIOException(ended(), e);
        }
    }

    private Path proc(String name) {
        return Path.of("/proc", Long.toString(pid), name);
    }

    private String ended() {
        return "the measured process has ended: pid=%d; see its log".formatted(pid);
    }
}
