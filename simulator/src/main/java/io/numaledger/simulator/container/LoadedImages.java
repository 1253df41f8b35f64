package io.numaledger.simulator.container;

import io.numaledger.simulator.cri.ImageNames;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The images whose containers run, by the names that pods give. */
final class LoadedImages {

    private final List<ContainerImage> lastFirst;

    /** @param images in the order in which they were loaded: a later one takes the name of an earlier one */
    LoadedImages(List<ContainerImage> images) {
        lastFirst = new ArrayList<>(images);
        Collections.reverse(lastFirst);
    }

    /** An image that was loaded without tag and digest has all tags and digests of its repository that no other image has. */
    Optional<ContainerImage> find(String reference) {
        return named(ImageNames.exact(reference)).or(() -> named(ImageNames.repository(reference)));
    }

    private Optional<ContainerImage> named(String name) {
        return lastFirst.stream().filter(image -> image.names().contains(name)).findFirst();
    }
}
