package io.numaledger.agent.metrics;

import java.util.List;

/**
 * A request to the API server, in the words of Kubernetes.
 *
 * @param verb get, list, watch, create, patch, delete
 * @param resource the plural, such as pods, with a subresource as in {@code pods/status}
 * @param result ok, conflict, forbidden, gone, throttled, refused, or unreachable if there was no response
 */
public record ApiRequest(String verb, String resource, String result) {

    static final List<String> RESULTS =
            List.of("ok", "conflict", "forbidden", "gone", "throttled", "refused", "unreachable");

    /** @param status of HTTP; 0: no response */
    public static ApiRequest of(String method, String path, int status) {
        int question = path.indexOf('?');
        String query = question < 0 ? "" : path.substring(question);
        List<String> parts = List.of((question < 0 ? path : path.substring(0, question))
                .replaceFirst("^/+", "")
                .split("/", -1));
        int at = parts.get(0).equals("api") ? 2 : 3;
        if (parts.size() > at + 2 && parts.get(at).equals("namespaces")) {
            at += 2;
        }
        String resource = at < parts.size() ? parts.get(at) : "";
        boolean named = at + 1 < parts.size();
        if (at + 2 < parts.size()) {
            resource += "/" + parts.get(at + 2);
        }
        return new ApiRequest(verb(method, named, query), resource, result(status));
    }

    private static String verb(String method, boolean named, String query) {
        return switch (method) {
            case "GET" -> query.contains("watch=1") ? "watch" : named ? "get" : "list";
            case "POST" -> "create";
            case "PATCH" -> "patch";
            default -> "delete";
        };
    }

    private static String result(int status) {
        return switch (status) {
            case 0 -> "unreachable";
            case 401, 403 -> "forbidden";
            case 404, 410 -> "gone";
            case 409, 422 -> "conflict";
            case 429 -> "throttled";
            default -> status < 300 ? "ok" : "refused";
        };
    }

    boolean isWrite() {
        return verb.equals("patch") || verb.equals("delete") || (verb.equals("create") && !resource.contains("review"));
    }

    /** What was written: pod, nrt, node, or the resource itself. */
    String kind() {
        return switch (resource) {
            case "pods" -> "pod";
            case "noderesourcetopologies" -> "nrt";
            case "nodes" -> "node";
            default -> resource;
        };
    }
}
