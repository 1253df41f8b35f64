package io.numaledger.podresources;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;

/**
 * A message without the fields that nobody reads here. The claims of one pod can have megabytes: a driver that fails lets the kubelet repeat
 * them (kubernetes/kubernetes#141335).
 */
final class PrunedMessage {

    private static final int BUFFER_BYTES = 256;

    private PrunedMessage() {}

    /**
     * Reads a message and leaves out the fields at a path: {@code 3, 5} are the fields 5 of its fields 3.
     *
     * @param length of the message
     * @param room for what is left; empty if there is more
     */
    static Optional<byte[]> read(CodedInputStream in, int length, int room, int... path) throws IOException {
        return read(in, length, room, path, 0);
    }

    private static Optional<byte[]> read(CodedInputStream in, int length, int room, int[] path, int depth)
            throws IOException {
        int end = in.getTotalBytesRead() + length;
        int outer = in.pushLimit(length);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, BUFFER_BYTES);
        boolean fits = true;
        for (int tag = in.readTag(); fits && tag != 0; tag = fits ? in.readTag() : 0) {
            fits = field(in, tag, room, path, depth, out) && out.getTotalBytesWritten() <= room;
        }
        in.popLimit(outer);
        in.skipRawBytes(end - in.getTotalBytesRead());
        out.flush();
        return fits ? Optional.of(bytes.toByteArray()) : Optional.empty();
    }

    /** Copies a field or leaves it out; false if there is no room for it. */
    private static boolean field(CodedInputStream in, int tag, int room, int[] path, int depth, CodedOutputStream out)
            throws IOException {
        int number = WireFormat.getTagFieldNumber(tag);
        if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_VARINT) {
            out.writeUInt64(number, in.readUInt64());
            return true;
        }
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            return in.skipField(tag); // the API has no such fields
        }
        if (number == path[depth] && depth == path.length - 1) {
            return in.skipField(tag);
        }
        int length = in.readUInt32();
        int left = room - out.getTotalBytesWritten();
        Optional<byte[]> value = number == path[depth]
                ? read(in, length, left, path, depth + 1)
                : length <= left ? Optional.of(in.readRawBytes(length)) : Optional.empty();
        if (value.isPresent()) {
            out.writeByteArray(number, value.get());
        }
        return value.isPresent();
    }
}
