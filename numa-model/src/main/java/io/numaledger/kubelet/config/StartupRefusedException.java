package io.numaledger.kubelet.config;

/**
 * The kubelet does not start with this configuration on this machine; the message is the kubelet's own, as far as it is
 * known.
 */
public final class StartupRefusedException extends RuntimeException {

    public StartupRefusedException(String kubeletMessage) {
        super(kubeletMessage);
    }
}
