package io.numaledger.evaluation.fit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SlotCacheTest {

    private final SlotCache<String> cache = new SlotCache<>();

    @Test
    void returnsAValueOnlyForItsVersion() {
        cache.put(3, 7, "a");

        assertThat(cache.get(3, 7)).contains("a");
        assertThat(cache.get(3, 8)).isEmpty();
        assertThat(cache.get(2, 7)).isEmpty();
    }

    @Test
    void keepsTheValueOfTheLaterVersion() {
        cache.put(3, 7, "new");
        cache.put(3, 6, "old");

        assertThat(cache.get(3, 7)).contains("new");
    }

    @Test
    void growsAndKeepsEverything() {
        cache.put(0, 1, "first");
        cache.put(5_000, 1, "far");

        assertThat(cache.get(0, 1)).contains("first");
        assertThat(cache.get(5_000, 1)).contains("far");
        assertThat(cache.get(1_000_000, 1)).isEmpty();
    }

    @Test
    void storesABatchInOneStep() {
        SlotCache.Batch<String> batch = new SlotCache.Batch<>(200);
        for (int slot = 0; slot < 200; slot++) {
            batch.add(slot, slot + 1, "v" + slot);
        }

        cache.put(batch);

        assertThat(batch.size()).isEqualTo(200);
        assertThat(cache.get(199, 200)).contains("v199");
    }
}
