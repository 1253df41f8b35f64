package io.numaledger.e2e.support;

import io.numaledger.agent.AgentMain;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.simulator.cluster.SimNode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The agent of one node, as the DaemonSet would run it: in a thread of this process, or in a process that can be killed. */
public final class RunningAgent implements AutoCloseable {

    private final Runnable stop;

    private RunningAgent(Runnable stop) {
        this.stop = stop;
    }

    /**
     * In a thread, which ends when it is interrupted.
     *
     * @param more flags, which replace those of the same name
     */
    public static RunningAgent start(SimNode node, Path kubeconfig, String... more) {
        List<String> replaced = Stream.of(more).map(RunningAgent::flag).toList();
        Stream<String> others = arguments(node, kubeconfig).stream().filter(each -> !replaced.contains(flag(each)));
        String[] arguments = Stream.concat(others, Stream.of(more)).toArray(String[]::new);
        Thread thread = new Thread(() -> AgentMain.execute(arguments), "agent of " + node.name());
        thread.start();
        return new RunningAgent(() -> {
            thread.interrupt();
            joined(thread);
        });
    }

    private static String flag(String argument) {
        return argument.replaceFirst("=.*", "");
    }

    private static void joined(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** In a process; closing it kills it. */
    public static RunningAgent startProcess(SimNode node, Path kubeconfig, Path logDirectory) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                AgentMain.class.getName()));
        command.addAll(arguments(node, kubeconfig));
        ChildProcess process = ChildProcess.start("agent-" + node.name(), logDirectory, command);
        return new RunningAgent(() -> {
            ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
            process.close();
        });
    }

    private static List<String> arguments(SimNode node, Path kubeconfig) {
        return List.of(
                "run",
                "--node-name=" + node.name(),
                "--kubeconfig=" + kubeconfig,
                "--podresources-socket=" + node.podResourcesSocket(),
                "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                "--kubelet-config=" + node.kubeletConfig(),
                "--device-interval=500ms");
    }

    @Override
    public void close() {
        stop.run();
    }
}
