package io.numaledger.kubelet.device;

import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class DeviceTest {

    @Test
    void isOnAnAbsentNumaNodeWhereThePluginReportsAnIdThatNoMaskHolds() {
        assertThat(Device.numaNodes(List.of(0, 250), List.of(0, 1, 63))).isEqualTo(AffinityMask.of(0, 62));
    }

    @Test
    void isOnAnAbsentNumaNodeWhereThePluginReportsANegativeId() {
        assertThat(Device.numaNodes(List.of(-1), List.of(0, 1))).isEqualTo(AffinityMask.of(63));
    }

    @Test
    void hasNoNumaNodesWhereThePluginReportsNone() {
        assertThat(Device.numaNodes(List.of(), List.of(0, 1))).isEqualTo(AffinityMask.NONE);
    }
}
