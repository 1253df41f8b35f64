package io.numaledger.simulator.hardware;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A DRA driver of a node: the devices that it publishes, and how it behaves.
 *
 * @param driver such as {@code gpu.example.com}
 * @param deviceClass name of the DeviceClass that selects the devices of this driver
 * @param extendedResourceName of the class; pods may then request devices by it, without a claim
 * @param pool to which the node's devices belong
 * @param startDelay how long after the kubelet it starts
 * @param prepareError with which it fails NodePrepareResources; empty: it does not
 */
public record DraDriverSpec(
        String driver,
        String deviceClass,
        Optional<String> extendedResourceName,
        String pool,
        List<DraDevice> devices,
        Duration startDelay,
        Optional<String> prepareError) {

    private static final Pattern SUBDOMAIN = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final int MAX_DRIVER_NAME = 63;

    public DraDriverSpec {
        require(
                SUBDOMAIN.matcher(driver).matches() && driver.length() <= MAX_DRIVER_NAME,
                "driver",
                driver,
                "a lower-case DNS name of at most %d characters".formatted(MAX_DRIVER_NAME));
        require(SUBDOMAIN.matcher(deviceClass).matches(), "deviceClass", deviceClass, "a lower-case DNS name");
        devices = List.copyOf(devices);
        Set<String> names = new HashSet<>();
        devices.forEach(device -> require(names.add(device.name()), "devices", device.name(), "each name once"));
    }

    private static void require(boolean holds, String field, Object value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "not a DRA driver: %s=%s; expected %s".formatted(field, value, expected));
        }
    }
}
