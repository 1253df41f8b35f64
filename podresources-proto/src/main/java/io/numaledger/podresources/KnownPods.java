package io.numaledger.podresources;

import io.numaledger.placement.PodAllocation;
import io.numaledger.podresources.v1.ListPodResourcesResponse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.CRC32;

/** The pods of one answer of the kubelet. Those that were encoded alike in the answer before are not decoded again. */
final class KnownPods implements BoundedFields.FieldReader {

    /** Pods beyond so many are decoded each time: a bound of the memory that is kept. */
    private static final int MOST = 1024;

    private final Map<Long, Known> before;
    private final Function<io.numaledger.podresources.v1.PodResources, PodAllocation> decoder;
    private final Map<Long, Known> byChecksum = new HashMap<>();
    private final List<PodAllocation> pods = new ArrayList<>();
    private ByteBuffer unknown = ByteBuffer.allocate(0);

    private record Known(ByteBuffer encoded, List<PodAllocation> decoded) {}

    /** Knows nothing. */
    KnownPods(Function<io.numaledger.podresources.v1.PodResources, PodAllocation> decoder) {
        this.before = Map.of();
        this.decoder = decoder;
    }

    KnownPods(KnownPods before, Function<io.numaledger.podresources.v1.PodResources, PodAllocation> decoder) {
        this.before = before.byChecksum;
        this.decoder = decoder;
    }

    List<PodAllocation> all() {
        return pods;
    }

    @Override
    public boolean knows(int number, byte[] value) {
        if (number != ListPodResourcesResponse.POD_RESOURCES_FIELD_NUMBER) {
            return false;
        }
        ByteBuffer encoded = ByteBuffer.wrap(value);
        Known known = before.get(checksum(value));
        if (known == null || !known.encoded().equals(encoded)) {
            unknown = encoded;
            return false;
        }
        add(known);
        return true;
    }

    @Override
    public void read(byte[] message) throws IOException {
        add(new Known(
                unknown,
                ListPodResourcesResponse.parseFrom(message).getPodResourcesList().stream()
                        .map(decoder)
                        .toList()));
        unknown = ByteBuffer.allocate(0);
    }

    private void add(Known known) {
        pods.addAll(known.decoded());
        if (byChecksum.size() < MOST && known.encoded().hasRemaining()) {
            byChecksum.put(checksum(known.encoded().array()), known);
        }
    }

    /** Fast without a compiler, unlike hash codes. */
    private static long checksum(byte[] value) {
        CRC32 checksum = new CRC32();
        checksum.update(value);
        return checksum.getValue();
    }
}
