package io.numaledger.simulator.cri;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.numaledger.simulator.cri.v1.FilesystemIdentifier;
import io.numaledger.simulator.cri.v1.FilesystemUsage;
import io.numaledger.simulator.cri.v1.Image;
import io.numaledger.simulator.cri.v1.ImageFsInfoRequest;
import io.numaledger.simulator.cri.v1.ImageFsInfoResponse;
import io.numaledger.simulator.cri.v1.ImageServiceGrpc;
import io.numaledger.simulator.cri.v1.ImageSpec;
import io.numaledger.simulator.cri.v1.ImageStatusRequest;
import io.numaledger.simulator.cri.v1.ImageStatusResponse;
import io.numaledger.simulator.cri.v1.ListImagesRequest;
import io.numaledger.simulator.cri.v1.ListImagesResponse;
import io.numaledger.simulator.cri.v1.PullImageRequest;
import io.numaledger.simulator.cri.v1.PullImageResponse;
import io.numaledger.simulator.cri.v1.RemoveImageRequest;
import io.numaledger.simulator.cri.v1.RemoveImageResponse;
import io.numaledger.simulator.cri.v1.UInt64Value;

import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;

/** Has the images that are there, and cannot pull others. */
final class ImageServiceStub extends ImageServiceGrpc.ImageServiceImplBase {

    private static final long IMAGE_BYTES = 1 << 20;

    private final Predicate<String> there;
    private final Set<String> asked = new ConcurrentSkipListSet<>();

    ImageServiceStub(Predicate<String> there) {
        this.there = there;
    }

    @Override
    public void listImages(ListImagesRequest request, StreamObserver<ListImagesResponse> answer) {
        ListImagesResponse.Builder images = ListImagesResponse.newBuilder();
        asked.forEach(name -> images.addImages(image(name)));
        RuntimeServiceStub.answer(answer, images.build());
    }

    @Override
    public void imageStatus(ImageStatusRequest request, StreamObserver<ImageStatusResponse> answer) {
        String name = request.getImage().getImage();
        ImageStatusResponse.Builder response = ImageStatusResponse.newBuilder();
        if (there.test(name)) {
            asked.add(name);
            response.setImage(image(name));
        }
        RuntimeServiceStub.answer(answer, response.build());
    }

    @Override
    public void pullImage(PullImageRequest request, StreamObserver<PullImageResponse> answer) {
        String name = request.getImage().getImage();
        if (!there.test(name)) {
            answer.onError(Status.NOT_FOUND
                    .withDescription("no such image on a simulated node: image=%s; add it with sim add-image %s"
                            .formatted(name, name))
                    .asRuntimeException());
            return;
        }
        asked.add(name);
        RuntimeServiceStub.answer(
                answer,
                PullImageResponse.newBuilder().setImageRef(ImageNames.id(name)).build());
    }

    @Override
    public void removeImage(RemoveImageRequest request, StreamObserver<RemoveImageResponse> answer) {
        asked.remove(request.getImage().getImage());
        RuntimeServiceStub.answer(answer, RemoveImageResponse.getDefaultInstance());
    }

    @Override
    public void imageFsInfo(ImageFsInfoRequest request, StreamObserver<ImageFsInfoResponse> answer) {
        FilesystemUsage usage = FilesystemUsage.newBuilder()
                .setTimestamp(Instant.now().toEpochMilli() * 1_000_000)
                .setFsId(FilesystemIdentifier.newBuilder().setMountpoint("/var/lib/kubelet"))
                .setUsedBytes(UInt64Value.newBuilder().setValue(IMAGE_BYTES))
                .setInodesUsed(UInt64Value.newBuilder().setValue(1))
                .build();
        RuntimeServiceStub.answer(
                answer,
                ImageFsInfoResponse.newBuilder()
                        .addImageFilesystems(usage)
                        .addContainerFilesystems(usage)
                        .build());
    }

    private static Image image(String name) {
        return Image.newBuilder()
                .setId(ImageNames.id(name))
                .addRepoTags(name)
                .setSize(IMAGE_BYTES)
                .setSpec(ImageSpec.newBuilder().setImage(name))
                .setPinned(true)
                .build();
    }
}
