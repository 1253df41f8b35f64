package io.numaledger.bridge.watch;

import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds the memory that a page of a list takes. The client holds a page as a whole, and users can make each of its objects as large as etcd
 * takes, 1.5 MB. A page that is larger is read again with fewer objects, and so are the next ones of the same kind.
 */
final class BoundedPages implements Interceptor {

    /** Of 500 usual pods, a page has 2 to 5 MB. */
    static final long MOST_BYTES = 32L << 20;

    private static final String LIMIT = "limit";

    private final long mostBytes;

    /** Path → objects of the page before. */
    private final Map<String, Integer> limits = new ConcurrentHashMap<>();

    /** @param mostBytes of a page with more than one object */
    BoundedPages(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        boolean watches = request.url().queryParameter("watch") != null;
        Optional<Integer> asked =
                Optional.ofNullable(request.url().queryParameter(LIMIT)).map(Integer::valueOf);
        return asked.isPresent() && !watches ? page(chain, request, asked.get()) : chain.proceed(request);
    }

    private Response page(Chain chain, Request request, int asked) throws IOException {
        String path = request.url().encodedPath();
        int limit = Math.min(asked, 2 * limits.getOrDefault(path, asked));
        Response response = chain.proceed(withLimit(request, limit));
        while (limit > 1 && response.body().source().request(mostBytes + 1)) {
            response.close();
            limit = Math.max(1, limit / 4);
            response = chain.proceed(withLimit(request, limit));
        }
        limits.put(path, limit);
        return response;
    }

    private static Request withLimit(Request request, int limit) {
        HttpUrl url = request.url()
                .newBuilder()
                .setQueryParameter(LIMIT, Integer.toString(limit))
                .build();
        return request.newBuilder().url(url).build();
    }
}
