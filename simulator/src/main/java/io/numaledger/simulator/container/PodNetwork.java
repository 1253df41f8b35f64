package io.numaledger.simulator.container;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The network of a cluster: a namespace for each pod, and a bridge between them and this machine, in a namespace of its own. Clusters on
 * one machine have different addresses: 10.200.N.0/24 for pods and 10.201.N.0/24 for Services, which are addresses of this machine.
 */
public final class PodNetwork implements AutoCloseable {

    /** How the names of the interfaces on this machine begin. Their addresses end with their cluster. */
    public static final String DEVICE = "numaledger";

    private static final int MAX_CLUSTERS = 250;
    private static final String THIS_PROCESS =
            String.valueOf(ProcessHandle.current().pid());

    /** The name of the interface on this machine is taken by one cluster only. */
    private static final String BRIDGE = """
            ip link set lo up
            ip link add bridge type bridge
            ip link set bridge up
            for n in $(seq 0 $1); do
              if ip link add host type veth peer name "numaledger$n" netns $2 2>/dev/null; then break; fi
            done
            ip link set host master bridge up
            echo "$n"
            """;

    private static final String POD = """
            ip link set lo up
            ip link add eth0 type veth peer name "$2" netns "$1"
            nsenter --net="/proc/$1/ns/net" ip link set "$2" master bridge up
            ip addr add "$3/24" dev eth0
            ip link set eth0 up
            ip route add default via "$4"
            """;

    private final PauseProcess bridge;
    private final int number;
    private final Map<Integer, PauseProcess> pods = new TreeMap<>();

    private PodNetwork(PauseProcess bridge, int number) {
        this.bridge = bridge;
        this.number = number;
    }

    /**
     * Makes a network.
     *
     * @throws ContainerException if this is impossible here
     */
    public static PodNetwork create() {
        PauseProcess bridge = PauseProcess.start(BRIDGE, String.valueOf(MAX_CLUSTERS), THIS_PROCESS);
        PodNetwork network = new PodNetwork(bridge, Integer.parseInt(bridge.said()));
        ip("addr", "add", network.gateway() + "/24", "dev", network.device());
        ip("link", "set", network.device(), "up");
        return network;
    }

    private String device() {
        return DEVICE + number;
    }

    /** The address of this machine, and of all its nodes, for pods. */
    public String gateway() {
        return address(1);
    }

    private String address(int last) {
        return "10.200.%d.%d".formatted(number, last);
    }

    /** The cluster IPs of Services. */
    public String serviceRange() {
        return "10.201.%d.0/24".formatted(number);
    }

    void addServiceAddress(String address) {
        ip("addr", "add", address + "/32", "dev", device());
    }

    void removeServiceAddress(String address) {
        ip("addr", "del", address + "/32", "dev", device());
    }

    /** One pod's part of the network. */
    final class Attached implements AutoCloseable {

        private final int last;
        private final PauseProcess process;

        private Attached(int last, PauseProcess process) {
            this.last = last;
            this.process = process;
        }

        String address() {
            return PodNetwork.this.address(last);
        }

        /** A process in the pod's network namespace. */
        long pid() {
            return process.pid();
        }

        @Override
        public void close() {
            process.close();
            synchronized (pods) {
                pods.remove(last);
            }
        }
    }

    /** Makes a namespace with the lowest free address. */
    Attached attach() {
        synchronized (pods) {
            int last = IntStream.range(2, 255)
                    .filter(each -> !pods.containsKey(each))
                    .findFirst()
                    .orElseThrow(() -> new ContainerException(
                            "no address is free: pods=%d; a simulated cluster with running images has at most 253 pods"
                                    .formatted(pods.size())));
            PauseProcess process =
                    PauseProcess.start(POD, String.valueOf(bridge.pid()), "pod" + last, address(last), gateway());
            pods.put(last, process);
            return new Attached(last, process);
        }
    }

    private static void ip(String... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new ContainerException("cannot change the network: command=%s output=%s; run as root"
                        .formatted(String.join(" ", command), output.strip()));
            }
        } catch (IOException cause) {
            throw new ContainerException("cannot change the network; install iproute2", cause);
        } catch (InterruptedException cause) {
            Thread.currentThread().interrupt();
            throw new ContainerException("interrupted while the network was changed; start again", cause);
        }
    }

    @Override
    public void close() {
        synchronized (pods) {
            pods.values().forEach(PauseProcess::close);
        }
        bridge.close();
    }
}
