package io.numaledger.podresources;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Reads a message field by field, within limits. A message of many small fields needs some twenty times its length in memory when it is
 * parsed as a whole, which is more than the agent's heap.
 */
final class BoundedFields {

    /** More than a kubelet has pods or devices. Kubelets before 1.34 list pods that have ended, too: at most 12,500 in a cluster. */
    static final int MAX_FIELDS = 16_384;

    /** A pod with a thousand CPUs and a thousand devices has some 70 kB. */
    static final int MAX_FIELD_BYTES = 256 << 10;

    static final int MAX_BYTES = 4 << 20;

    /** The API's answers have three fields. */
    private static final int MAX_NUMBER = 15;

    /** A field that is longer is not asked about. */
    private static final int MAX_KNOWN = 1024;

    @FunctionalInterface
    interface FieldReader {
        /** Gets an encoded message that has one of the fields. */
        void read(byte[] message) throws IOException;

        /** True if a field of this number with this value was read before and is not to be read again. */
        default boolean knows(int number, byte[] value) {
            return false;
        }
    }

    private BoundedFields() {}

    /**
     * Reads the fields that are strings or messages, or packed, up to the limits for each number. Others are skipped.
     *
     * @param pruned in each field, see {@link PrunedMessage}; empty: nothing
     * @return how many fields were beyond the limits, and left out
     */
    static int read(InputStream message, FieldReader each, int... pruned) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(message);
        int[] fields = new int[MAX_NUMBER + 1];
        int[] bytes = new int[MAX_NUMBER + 1];
        int leftOut = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            int number = WireFormat.getTagFieldNumber(tag);
            if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED || number > MAX_NUMBER) {
                in.skipField(tag);
                continue;
            }
            int length = in.readUInt32();
            int room = Math.min(MAX_FIELD_BYTES, MAX_BYTES - bytes[number]);
            boolean fits = fields[number] < MAX_FIELDS;
            CodedInputStream from = in;
            if (fits && length <= Math.min(room, MAX_KNOWN)) {
                byte[] whole = in.readRawBytes(length);
                if (each.knows(number, whole)) {
                    fields[number]++;
                    bytes[number] += length;
                    continue;
                }
                from = CodedInputStream.newInstance(whole);
            }
            Optional<byte[]> value = value(from, length, fits ? room : -1, pruned);
            if (value.isPresent()) {
                fields[number]++;
                bytes[number] += value.get().length;
                each.read(message(number, value.get()));
            } else {
                leftOut++;
            }
        }
        return leftOut;
    }

    /** Empty and skipped if there is no room for it. */
    private static Optional<byte[]> value(CodedInputStream in, int length, int room, int... pruned) throws IOException {
        if (room >= 0 && pruned.length > 0) {
            return PrunedMessage.read(in, length, room, pruned);
        }
        if (length > room) {
            in.skipRawBytes(length);
            return Optional.empty();
        }
        return Optional.of(in.readRawBytes(length));
    }

    private static byte[] message(int number, byte[] value) throws IOException {
        byte[] message = new byte[CodedOutputStream.computeByteArraySize(number, value)];
        CodedOutputStream out = CodedOutputStream.newInstance(message);
        out.writeByteArray(number, value);
        out.flush();
        return message;
    }
}
