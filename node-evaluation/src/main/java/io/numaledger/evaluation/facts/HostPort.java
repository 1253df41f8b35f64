package io.numaledger.evaluation.facts;

/**
 * A port of its node that a pod has for itself.
 *
 * @param protocol empty: TCP
 * @param ip one of the node's addresses; empty: all of them
 */
public record HostPort(String protocol, int port, String ip) {

    private static final String ALL = "0.0.0.0";

    public HostPort {
        protocol = protocol.isEmpty() ? "TCP" : protocol;
        ip = ip.isEmpty() ? ALL : ip;
    }

    /** Whether pods on one node cannot have both, as kube-scheduler decides (HostPortInfo, pkg/scheduler/framework/types.go). */
    public boolean conflictsWith(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (ip.equals(other.ip) || ip.equals(ALL) || other.ip.equals(ALL));
    }
}
