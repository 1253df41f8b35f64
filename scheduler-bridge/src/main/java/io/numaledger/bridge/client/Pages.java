package io.numaledger.bridge.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.dsl.Listable;

import java.util.ArrayList;
import java.util.List;

/** Reads lists in pages: one answer with all objects may not fit in memory. */
public final class Pages {

    /** Objects of a page, at most. */
    public static final long LIMIT = 500;

    private Pages() {}

    /** All objects of a list. */
    public static <T extends HasMetadata> List<T> all(Listable<? extends KubernetesResourceList<T>> objects) {
        List<T> all = new ArrayList<>();
        ListOptions page = new ListOptionsBuilder().withLimit(LIMIT).build();
        do {
            KubernetesResourceList<T> list = objects.list(page);
            all.addAll(list.getItems());
            page.setContinue(list.getMetadata().getContinue());
        } while (page.getContinue() != null && !page.getContinue().isEmpty());
        return all;
    }
}
