package io.numaledger.simulator.cluster;

import io.numaledger.simulator.container.PodNetwork;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Optional;

/** Addresses of this machine. */
final class HostAddress {

    private HostAddress() {}

    /**
     * An IPv4 address that is not loopback: a kubelet takes no other as its node's. None of another simulated cluster, which ends
     * with it. Empty on a machine without network.
     */
    static Optional<String> external() {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(HostAddress::isUp)
                    .filter(each -> !each.getName().startsWith(PodNetwork.DEVICE))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address
                            && !address.isLoopbackAddress()
                            && !address.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .findFirst();
        } catch (SocketException none) {
            return Optional.empty();
        }
    }

    private static boolean isUp(NetworkInterface each) {
        try {
            return each.isUp();
        } catch (SocketException gone) {
            return false;
        }
    }
}
