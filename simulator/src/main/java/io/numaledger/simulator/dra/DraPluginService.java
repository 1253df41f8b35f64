package io.numaledger.simulator.dra;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.grpc.stub.StreamObserver;
import io.numaledger.simulator.dra.v1.Claim;
import io.numaledger.simulator.dra.v1.DRAPluginGrpc;
import io.numaledger.simulator.dra.v1.Device;
import io.numaledger.simulator.dra.v1.NodePrepareResourceResponse;
import io.numaledger.simulator.dra.v1.NodePrepareResourcesRequest;
import io.numaledger.simulator.dra.v1.NodePrepareResourcesResponse;
import io.numaledger.simulator.dra.v1.NodeUnprepareResourceResponse;
import io.numaledger.simulator.dra.v1.NodeUnprepareResourcesRequest;
import io.numaledger.simulator.dra.v1.NodeUnprepareResourcesResponse;

import java.util.Optional;

/** Prepares claims, which is nothing but to tell the kubelet which of the driver's devices are allocated to them. */
final class DraPluginService extends DRAPluginGrpc.DRAPluginImplBase {

    private final KubernetesClient client;
    private final String driver;
    private final Optional<String> failure;

    /** @param failure with which each claim fails */
    DraPluginService(KubernetesClient client, String driver, Optional<String> failure) {
        this.client = client;
        this.driver = driver;
        this.failure = failure;
    }

    @Override
    public void nodePrepareResources(
            NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> answer) {
        NodePrepareResourcesResponse.Builder response = NodePrepareResourcesResponse.newBuilder();
        request.getClaimsList().forEach(claim -> response.putClaims(claim.getUid(), prepare(claim)));
        answer.onNext(response.build());
        answer.onCompleted();
    }

    private NodePrepareResourceResponse prepare(Claim claim) {
        NodePrepareResourceResponse.Builder response = NodePrepareResourceResponse.newBuilder();
        if (failure.isPresent()) {
            return response.setError(failure.get()).build();
        }
        try {
            ResourceClaim found = client.resources(ResourceClaim.class)
                    .inNamespace(claim.getNamespace())
                    .withName(claim.getName())
                    .get();
            if (found == null
                    || !found.getMetadata().getUid().equals(claim.getUid())
                    || found.getStatus() == null
                    || found.getStatus().getAllocation() == null) {
                return response.setError("the claim is not allocated: claim=%s/%s uid=%s"
                                .formatted(claim.getNamespace(), claim.getName(), claim.getUid()))
                        .build();
            }
            found.getStatus().getAllocation().getDevices().getResults().stream()
                    .filter(result -> result.getDriver().equals(driver))
                    .forEach(result -> response.addDevices(device(result)));
        } catch (KubernetesClientException cause) {
            response.setError("cannot read the claim: claim=%s/%s: %s"
                    .formatted(claim.getNamespace(), claim.getName(), cause.getMessage()));
        }
        return response.build();
    }

    private Device device(DeviceRequestAllocationResult result) {
        Device.Builder device = Device.newBuilder()
                .addRequestNames(result.getRequest())
                .setPoolName(result.getPool())
                .setDeviceName(result.getDevice())
                .addCdiDeviceIds("%s/device=%s".formatted(driver, result.getDevice()));
        if (result.getShareID() != null) {
            device.setShareId(result.getShareID());
        }
        return device.build();
    }

    @Override
    public void nodeUnprepareResources(
            NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> answer) {
        NodeUnprepareResourcesResponse.Builder response = NodeUnprepareResourcesResponse.newBuilder();
        request.getClaimsList()
                .forEach(claim ->
                        response.putClaims(claim.getUid(), NodeUnprepareResourceResponse.getDefaultInstance()));
        answer.onNext(response.build());
        answer.onCompleted();
    }
}
