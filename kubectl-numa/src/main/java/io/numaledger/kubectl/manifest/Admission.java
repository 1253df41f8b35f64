package io.numaledger.kubectl.manifest;

import io.numaledger.objects.PodManifest;

import java.io.IOException;

/** What becomes of the pod of a manifest when it is created. */
@FunctionalInterface
public interface Admission {

    /** The pod stays as it was written, if it is valid. */
    Admission NONE = DescribedPod::checked;

    /** @throws IOException if it would be refused; the message says why */
    PodManifest admit(DescribedPod pod) throws IOException;
}
